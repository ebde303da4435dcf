package io.couchjobs.engine.trigger;

import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.engine.feed.PatientListener;
import io.couchjobs.engine.time.Alarm;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.engine.worker.QueueWorker;
import io.couchjobs.engine.worker.WorkerHook;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.Listening;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the triggers of a queue. Started once, and runs while the queue has a worker. Thread-safe.
 *
 * <p>Adds the job of each enabled trigger. Starts a worker for these jobs as soon as there is a trigger, so a queue without
 * triggers has no such worker.
 */
public final class SharedFollower implements PatientListener, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SharedFollower.class);
    private static final String JOBS = DocIds.JOB + Follower.TYPE + ":";
    private static final int MOST_TRIGGERS = 1000;
    private static final Duration LATER = Duration.ofSeconds(5);
    /**
     * The time after which the triggers are read once more: on a cluster, the first reading may come from copies that are older
     * than the feed.
     */
    private static final Duration LOAD_AGAIN = Duration.ofSeconds(45);

    private final FollowerTools tools;
    private final Follower follower;
    private final Lane lane;
    private final Alarm reload;
    private @Nullable Worker worker;
    private Listening listening = () -> {};

    /** Creates the follower without I/O. */
    public SharedFollower(FollowerTools tools) {
        this.tools = tools;
        this.follower = new Follower(tools);
        this.lane = tools.environment().lane("couchjobs-triggers", 1);
        this.reload = new Alarm(lane, this::load);
    }

    /**
     * Starts to follow the triggers.
     *
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be reached
     */
    public void start() {
        listening = tools.parts().feed().listen(this);
        lane.execute(this::load);
        lane.schedule(LOAD_AGAIN, this::load);
    }

    @Override
    public void close() {
        listening.close();
        Worker last;
        synchronized (this) {
            lane.close();
            last = worker;
        }
        if (last != null) {
            last.close(Duration.ZERO);
        }
    }

    @Override
    public void changed(FeedEvent event) {
        String id = event.docId();
        if (id.startsWith(DocIds.TRIGGER)) {
            follower.changed(Trigger.nameOf(id), id, event.rev());
            Optional.ofNullable(event.document())
                    .filter(document -> !event.deleted())
                    .flatMap(tools.triggers()::parsed)
                    .ifPresent(trigger -> lane.execute(() -> ensure(trigger)));
        } else if (id.startsWith(DocIds.FOLLOW)) {
            String rest = id.substring(DocIds.FOLLOW.length());
            follower.changed(rest.substring(0, Math.max(0, rest.indexOf(':'))), id, event.rev());
        } else if (id.startsWith(JOBS)
                && (event.deleted()
                        || event.job()
                                .filter(job -> job.phase() == JobPhase.FINISHED)
                                .isPresent())) {
            lane.execute(this::load);
        }
    }

    @Override
    public boolean needsDocument(FeedNotice notice) {
        return notice.docId().startsWith(JOBS);
    }

    @Override
    public void gap() {
        follower.gap();
        lane.execute(this::load);
    }

    /** Reads the triggers again. No change was missed, so the followings continue. */
    @Override
    public void reconnected() {
        lane.execute(this::load);
    }

    /** Reads the triggers again, without ending the followings: skipped changes are frequent while very many jobs are added. */
    @Override
    public void skipped() {
        lane.execute(this::load);
    }

    private void load() {
        guarded(() -> {
            List<Trigger> all = tools.triggers().all();
            follower.looked(all);
            all.forEach(this::ensure);
        });
    }

    private void ensure(Trigger trigger) {
        boolean isHere = tools.parts().store().site().owns(trigger.site().orElse(null));
        if (!trigger.isEnabled() || !isHere) {
            return;
        }
        guarded(() -> {
            begin();
            JobRequest wanted = Follower.job(trigger);
            Optional<Job> present =
                    tools.parts().store().read(wanted.id()).filter(job -> job.phase() != JobPhase.FINISHED);
            if (present.isEmpty()) {
                boolean unused = tools.creator().insertIfNew(wanted);
            } else if (present.filter(job -> waitsElsewhere(job, trigger)).isPresent()) {
                AddResult put = tools.creator().add(List.of(wanted), true).get(0);
                if (put.outcome() == AddResult.Outcome.REJECTED) {
                    reload.within(LATER);
                }
            }
        });
    }

    /** Returns whether the job is pending for another connection, which the trigger had before. */
    private static boolean waitsElsewhere(Job job, Trigger trigger) {
        return job.phase() == JobPhase.PENDING && !job.jobClass().equals(trigger.connection());
    }

    private synchronized void begin() {
        if (worker == null && !lane.isClosed()) {
            String[] classes = Stream.concat(Stream.of(""), tools.sources().names().stream())
                    .toArray(String[]::new);
            worker = QueueWorker.builder(tools.parts(), WorkerHook.NONE)
                    .handler(Follower.TYPE, follower)
                    .classes(classes)
                    .concurrency(MOST_TRIGGERS)
                    .withoutSweeping()
                    .whenClosing(Worker.ClosingMode.RELEASE)
                    .start();
        }
    }

    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException away) {
            log.debug("the triggers are looked at later: {}", away.toString());
            reload.within(LATER);
        }
    }
}
