package io.couchjobs.chaos;

import io.couchjobs.JobQueue;
import io.couchjobs.chaos.Entry.What;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.Listening;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * A process that follows all jobs and notes each end that the queue reports. It runs until its standard input has ended and no
 * further ends are reported. Arguments: the name, and the folder for the journal.
 */
final class ReaderProcess {
    /** An end is reported only when a majority of the copies has it, which may be a moment after the last write. */
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final Journal journal;
    private volatile long lastTold = System.nanoTime();

    private ReaderProcess(Journal journal) {
        this.journal = journal;
    }

    private void tell(JobChange change) {
        if (change.phase() == JobPhase.FINISHED || change.job().isEmpty()) {
            lastTold = System.nanoTime();
            String end = change.job().map(ReaderRules::end).orElse(Entry.GONE);
            journal.noteTold(change.id().docId(), change.job().map(Job::fence).orElse(0L), end);
        }
    }

    private void follow(JobQueue queue) throws IOException, InterruptedException {
        Listening listening =
                queue.watch(JobFilter.all(), this::tell, () -> journal.note(What.MISSED, Entry.NO_JOB, ""));
        journal.note(What.FOLLOWS, Entry.NO_JOB, "");
        while (System.in.read() >= 0) {
            // ignore input
        }
        lastTold = System.nanoTime();
        while (System.nanoTime() - lastTold < QUIET_NANOS) {
            Surroundings.pass(200);
        }
        listening.close();
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        try (JobQueue queue = Surroundings.open(Instant::now);
                Journal journal = Journal.of(arguments[0], Path.of(arguments[1]))) {
            Standstill.watch(journal);
            new ReaderProcess(journal).follow(queue);
        }
    }
}
