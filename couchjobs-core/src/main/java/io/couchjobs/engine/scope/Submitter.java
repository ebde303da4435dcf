package io.couchjobs.engine.scope;

import io.couchjobs.job.JobRequest;
import io.couchjobs.scope.Ending;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.ScopeService;
import io.couchjobs.scope.Submission;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Submits jobs to scopes. Thread-safe. */
final class Submitter {
    /** Scopes share locks by their hashes: a lock per scope would stay in memory for every scope that was ever named. */
    private static final int DOORS = 1_024;

    private final Tools tools;
    private final Consumer<JobRequest> admission;
    /** The services that this process can ask before a scope takes a job. */
    private final List<ScopeService<?>> services = new CopyOnWriteArrayList<>();
    /**
     * Locks that make the limits exact within a process. Processes do not wait for each other, so together they may
     * exceed a limit.
     */
    private final List<ReentrantLock> doors =
            Stream.generate(ReentrantLock::new).limit(DOORS).toList();

    Submitter(Tools tools, Consumer<JobRequest> admission) {
        this.tools = tools;
        this.admission = admission;
    }

    List<ScopeService<?>> services() {
        return services;
    }

    Submission submit(Collection<Scope> to, JobRequest request, @Nullable Consumer<Ending> hook) {
        String correlation = request.correlationId().orElse(request.id().id());
        Map<Scope, JobRequest> jobs = new LinkedHashMap<>();
        to.forEach(scope -> jobs.put(scope, request.as(scope.jobType(), correlation)));
        jobs.values().forEach(admission);
        SubmitRound round = new SubmitRound(tools, services, jobs, hook);
        behindDoors(jobs.keySet(), round::askAndStore);
        round.askAgain();
        return new Submission(request.id().id(), correlation, round.answers(), round.problems());
    }

    /**
     * Runs work while it holds the locks of scopes. Always takes the locks in the same order, so that two threads do not
     * wait for each other.
     */
    private void behindDoors(Collection<Scope> scopes, Runnable work) {
        List<ReentrantLock> inOrder = scopes.stream()
                .map(scope -> Math.floorMod(scope.hashCode(), DOORS))
                .distinct()
                .sorted()
                .map(doors::get)
                .toList();
        inOrder.forEach(ReentrantLock::lock);
        try {
            work.run();
        } finally {
            inOrder.forEach(ReentrantLock::unlock);
        }
    }
}
