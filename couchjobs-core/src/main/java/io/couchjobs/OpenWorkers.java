package io.couchjobs;

import io.couchjobs.engine.schedule.Scheduler;
import io.couchjobs.engine.trigger.FollowerTools;
import io.couchjobs.engine.trigger.SharedFollower;
import io.couchjobs.job.Listening;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The open workers of a queue. While there is one, this process also makes the jobs of schedules and triggers. Thread-safe. */
final class OpenWorkers {
    private final FollowerTools tools;
    private final Set<Worker> workers = ConcurrentHashMap.newKeySet();
    private @Nullable Makers makers;

    OpenWorkers(FollowerTools tools) {
        this.tools = tools;
    }

    /**
     * Takes a worker in.
     *
     * @return takes the worker out again, when closed; closing twice does nothing
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be reached
     */
    synchronized Listening join(Worker worker) {
        if (makers == null) {
            makers = Makers.start(tools);
        }
        workers.add(worker);
        return () -> leave(worker);
    }

    private void leave(Worker worker) {
        workers.remove(worker);
        endMakers();
    }

    /** Waits for another thread that ends them: they give back what they own. */
    private synchronized void endMakers() {
        if (makers != null && workers.isEmpty()) {
            Makers last = makers;
            makers = null;
            last.close();
        }
    }

    /** Closes them, with no time for the jobs that run. */
    void close() {
        workers.forEach(worker -> worker.close(Duration.ZERO));
        endMakers();
    }

    /** The makers of the jobs of schedules and triggers. */
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
