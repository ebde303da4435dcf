package io.couchjobs;

import io.couchjobs.engine.schedule.SharedScheduler;
import io.couchjobs.engine.trigger.SharedFollower;
import io.couchjobs.job.Listening;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The open workers of a queue. While there is one, this process also makes the jobs of schedules and triggers. Thread-safe. */
final class OpenWorkers {
    private final SharedScheduler scheduler;
    private final SharedFollower follower;
    private final Set<Worker> workers = ConcurrentHashMap.newKeySet();

    OpenWorkers(SharedScheduler scheduler, SharedFollower follower) {
        this.scheduler = scheduler;
        this.follower = follower;
    }

    /** {@return takes the worker out again, when closed} */
    Listening join(Worker worker) {
        Listening scheduling = scheduler.join();
        Listening following = follower.join();
        workers.add(worker);
        return () -> {
            workers.remove(worker);
            following.close();
            scheduling.close();
        };
    }

    /** Closes them, with no time for the jobs that run. */
    void close() {
        workers.forEach(worker -> worker.close(Duration.ZERO));
    }
}
