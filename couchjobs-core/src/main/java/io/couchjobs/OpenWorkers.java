package io.couchjobs;

import io.couchjobs.engine.schedule.Scheduler;
import io.couchjobs.engine.trigger.FollowerTools;
import io.couchjobs.engine.trigger.SharedFollower;
import io.couchjobs.engine.worker.WorkerHook;
import io.couchjobs.job.Listening;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The open workers of a queue. While at least one of these workers makes jobs, this process creates the jobs of schedules and
 * triggers. Thread-safe.
 */
final class OpenWorkers implements WorkerHook {
    private final FollowerTools tools;
    /** The open workers, and whether each makes jobs. */
    private final Map<Worker, Boolean> workers = new ConcurrentHashMap<>();

    private @Nullable Makers makers;
    private boolean closed;

    OpenWorkers(FollowerTools tools) {
        this.tools = tools;
    }

    @Override
    public synchronized Listening join(Worker worker, boolean makesJobs) {
        if (closed) {
            throw new IllegalStateException("the queue is closed");
        }
        if (makesJobs && makers == null) {
            makers = Makers.start(tools);
        }
        workers.put(worker, makesJobs);
        return () -> leave(worker);
    }

    private void leave(Worker worker) {
        workers.remove(worker);
        endMakers();
    }

    /**
     * Closes the makers unless a worker still makes jobs. A second caller waits until the makers have released the jobs they own.
     */
    private synchronized void endMakers() {
        if (makers != null && !workers.containsValue(true)) {
            Makers last = makers;
            makers = null;
            last.close();
        }
    }

    private synchronized void refuseOthers() {
        closed = true;
    }

    /** Closes the workers with a zero timeout for the running jobs. */
    void close() {
        refuseOthers();
        workers.keySet().forEach(worker -> worker.close(Duration.ZERO));
        endMakers();
    }

    /** The scheduler and the trigger follower, which create the jobs of schedules and triggers. */
    private record Makers(Scheduler scheduler, SharedFollower follower) {
        static Makers start(FollowerTools tools) {
            Makers makers = new Makers(new Scheduler(tools.parts()), new SharedFollower(tools));
            try {
                makers.scheduler.start();
                makers.follower.start();
                return makers;
            } catch (RuntimeException | Error trouble) {
                makers.close();
                throw trouble;
            }
        }

        void close() {
            follower.close();
            scheduler.close();
        }
    }
}
