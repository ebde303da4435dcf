package io.couchjobs.engine.claim;

import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.WriteRefusedException;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The note of a run that no write has stored yet. The note goes with the next write of the job. Thread-safe. */
final class Untold {
    private static final Logger log = LoggerFactory.getLogger(Untold.class);

    private final JobId id;
    private final AtomicReference<@Nullable Note> newest = new AtomicReference<>();

    Untold(JobId id) {
        this.id = id;
    }

    /** Replaces the note. */
    void tell(Note note) {
        newest.set(note);
    }

    /** {@return the newest note; null when there is none} */
    @Nullable
    Note note() {
        return newest.get();
    }

    /** {@return the job with the note; the same job when the note is null} */
    static Job with(@Nullable Note note, Job job, Instant now) {
        return note == null
                ? job
                : Transitions.update(note.on(job), null, note.progress(), now)
                        .write()
                        .orElse(job);
    }

    /** Records that a write with the note is stored. A newer note stays. */
    void stored(@Nullable Note note) {
        newest.compareAndSet(note, null);
    }

    /**
     * Records that a write with the note was refused, perhaps because of the note. If the note may be left out, no later
     * write carries it.
     *
     * @throws WriteRefusedException when there is no note, or it may not be left out
     */
    void refused(@Nullable Note note, WriteRefusedException refused) {
        if (note == null || !note.mayBeLeftOut()) {
            throw refused;
        }
        stored(note);
        log.warn("what the run of {} tells is not stored: {}", id, refused.getMessage());
    }

    /** Drops the note, because the run fails: the server refuses to store the note. */
    void forget() {
        newest.set(null);
    }
}
