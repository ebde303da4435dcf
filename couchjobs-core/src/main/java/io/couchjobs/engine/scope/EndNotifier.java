package io.couchjobs.engine.scope;

import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedListener;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.engine.lifecycle.Fences;
import io.couchjobs.engine.store.ConfirmedEnds;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.Snapshot;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Listening;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.scope.Ending;
import io.couchjobs.scope.Scope;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells submitters once how each of their jobs ended: by the hook of the submit, or by an event if there is no hook or
 * the hook fails. Thread-safe.
 *
 * <p>Only the thread that removes a job from the map tells the job's end. So an end is told once, even if the feed
 * brings it twice, or if a reading after a gap finds it, too. On a cluster an end counts when a majority of the copies
 * has it.
 */
final class EndNotifier implements FeedListener, ConfirmedEnds.Listener, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EndNotifier.class);
    /** The longest pause between attempts: the server may be back at any time. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(3);

    private final Feed feed;
    private final JobStore store;
    private final Map<JobId, Expected> expected = new ConcurrentHashMap<>();
    private final List<Consumer<Ending>> listeners = new CopyOnWriteArrayList<>();
    private final Lane lane;
    private final Backoff trouble;
    /** Jobs that could not be read; while there are any, another look is planned. Only the lane uses this set. */
    private final Set<JobId> doubtful = new LinkedHashSet<>();

    private @Nullable Listening listening;

    EndNotifier(Feed feed, JobStore store) {
        this.feed = feed;
        this.store = store;
        this.lane = store.environment().lane("couchjobs-scope-endings", 1);
        this.trouble = new Backoff(store.environment(), Duration.ofMillis(100), LONGEST_PAUSE);
    }

    Listening listen(Consumer<Ending> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    /**
     * Expects the end of a job. Called before the job is stored, because the job may end before the answer to the write
     * arrives.
     *
     * @return the expectation, to be given to {@link #stored} when the job is taken and to {@link #forget} when it is
     *     not; empty when nobody wants to hear of the end
     */
    Optional<Expected> expect(Scope scope, JobId id, @Nullable Consumer<Ending> hook) {
        if (hook == null && listeners.isEmpty()) {
            return Optional.empty();
        }
        begin();
        Expected told = new Expected(scope, id, hook);
        Expected unused = expected.putIfAbsent(id, told);
        return Optional.of(told);
    }

    /**
     * Notes that the expected job is stored, so a former job of its id was removed. An end that was heard before may be
     * that of the former job.
     */
    void stored(Expected told, Job job) {
        // In this order, an end that is heard in between is missed rather than told twice.
        Expected former = expected.put(told.id, told);
        boolean hasMissed = told.begins(job);
        if (former != null && former != told) {
            tell(former, Ending.Outcome.REMOVED, null);
        }
        if (hasMissed || former != told) {
            lane.execute(() -> look(told.id));
        }
    }

    /** Notes that a job is stored whose end nobody wants to hear. So a former job of its id was removed. */
    void storedUnheard(JobId id) {
        Expected former = expected.remove(id);
        if (former != null) {
            tell(former, Ending.Outcome.REMOVED, null);
        }
    }

    /** Ends the expectation of a job. Returns false when the job's end was told, or is just being told. */
    boolean forget(Expected told) {
        return expected.remove(told.id, told);
    }

    /** Expects the end of a job again. The job is there after all, and may have ended meanwhile. */
    void expectAgain(Expected told) {
        expected.put(told.id, told);
        lane.execute(() -> look(told.id));
    }

    @Override
    public void changed(FeedEvent event) {
        JobId.fromDocId(event.docId()).filter(expected::containsKey).ifPresent(id -> {
            if (event.deleted()) {
                // The feed may report the end of a former job of this id, so the job that exists now decides.
                lane.execute(() -> look(id, event));
            } else {
                event.job().ifPresent(this::tellWhenSure);
            }
        });
    }

    @Override
    public boolean needsDocument(FeedNotice notice) {
        return notice.jobId().filter(expected::containsKey).isPresent();
    }

    @Override
    public boolean needsEach() {
        return !expected.isEmpty();
    }

    @Override
    public Duration patience() {
        return expected.isEmpty() ? LATER : SOON;
    }

    /** Checks the job, because a submitter may have begun to wait for it at this very moment. */
    @Override
    public void unread(FeedNotice notice) {
        notice.jobId().filter(expected::containsKey).ifPresent(id -> lane.execute(() -> look(id)));
    }

    @Override
    public void gap() {
        lane.execute(() -> expected.keySet().forEach(this::look));
    }

    @Override
    public synchronized void close() {
        if (listening != null) {
            listening.close();
        }
        lane.finish();
    }

    private synchronized void begin() {
        if (listening == null) {
            store.ends().prepare();
            listening = feed.listen(this);
        }
    }

    private void look(JobId id) {
        look(id, null);
    }

    /**
     * Checks whether a job has ended.
     *
     * @param tombstone the tombstone, if the feed has reported one
     */
    private void look(JobId id, @Nullable FeedEvent tombstone) {
        try {
            Optional<Job> present = store.read(id);
            if (present.isPresent()) {
                tellWhenSure(present.get());
            } else if (store.isCluster()) {
                store.ends().ask(id, Optional.ofNullable(tombstone).flatMap(told -> told.seen(id)), this);
            } else {
                tell(id, Ending.Outcome.REMOVED, null);
            }
        } catch (MalformedDocumentException overwritten) {
            tell(id, Ending.Outcome.REMOVED, null);
        } catch (RuntimeException | Error e) {
            log.debug("cannot tell yet whether {} has ended, trying again until it can be told", id, e);
            lookLater(id);
        }
    }

    /** Plans another look at a job: the feed may have brought its end already, and brings it only once. */
    private void lookLater(JobId id) {
        boolean planned = !doubtful.isEmpty();
        doubtful.add(id);
        if (!planned) {
            lane.schedule(trouble.next(), this::lookAgain);
        }
    }

    private void lookAgain() {
        List<JobId> again = List.copyOf(doubtful);
        doubtful.clear();
        again.stream().filter(expected::containsKey).forEach(this::look);
        if (doubtful.isEmpty()) {
            trouble.reset();
        }
    }

    @Override
    public void told(Snapshot sure) {
        sure.job().ifPresentOrElse(this::tellIfEnded, () -> tell(sure.id(), Ending.Outcome.REMOVED, null));
    }

    @Override
    public boolean asks(JobId id) {
        return expected.containsKey(id);
    }

    private void tellWhenSure(Job job) {
        Snapshot seen = Snapshot.of(job);
        if (store.ends().isSure(seen)) {
            tellIfEnded(job);
        } else {
            store.ends().ask(seen, this);
        }
    }

    private void tellIfEnded(Job job) {
        Ending.Outcome.of(job).ifPresent(outcome -> tell(job.id(), outcome, job));
    }

    private void tell(JobId id, Ending.Outcome outcome, @Nullable Job job) {
        Expected told = expected.get(id);
        if (told != null && told.isOf(job) && expected.remove(id, told)) {
            tell(told, outcome, job);
        }
    }

    private void tell(Expected told, Ending.Outcome outcome, @Nullable Job job) {
        lane.execute(() -> deliver(told, new Ending(told.scope, told.id.id(), outcome, job)));
    }

    private void deliver(Expected told, Ending ending) {
        try {
            if (told.hook != null) {
                told.hook.accept(ending);
                return;
            }
        } catch (RuntimeException | Error e) {
            log.error("the hook of {} failed; its listeners are told instead", ending.id(), e);
        }
        for (Consumer<Ending> listener : listeners) {
            try {
                listener.accept(ending);
            } catch (RuntimeException | Error e) {
                log.error("a listener failed on {}; it will hear of other jobs", ending.id(), e);
            }
        }
    }

    /** A job whose end a submitter or a listener waits for; equal only to itself. */
    static final class Expected {
        private final Scope scope;
        private final JobId id;
        private final @Nullable Consumer<Ending> hook;
        private boolean isStored;
        private boolean hasMissed;
        private long firstGeneration;

        private Expected(Scope scope, JobId id, @Nullable Consumer<Ending> hook) {
            this.scope = scope;
            this.id = id;
            this.hook = hook;
        }

        /** Notes that the job is stored. Returns whether an end was heard before, when it could not yet be told. */
        private synchronized boolean begins(Job job) {
            isStored = true;
            firstGeneration = Fences.generation(job);
            return hasMissed;
        }

        /** Returns whether an end belongs to the expected job. */
        private synchronized boolean isOf(@Nullable Job ended) {
            hasMissed |= !isStored;
            return isStored && (ended == null || Fences.generation(ended) >= firstGeneration);
        }
    }
}
