package io.couchjobs.engine.scope;

import io.couchjobs.job.JobRequest;
import io.couchjobs.scope.Ending;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.ScopeService;
import io.couchjobs.scope.Submission;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Gives jobs to scopes. Thread-safe. */
final class Submitter {
    private final Tools tools;
    private final Consumer<JobRequest> admission;
    /** The services that this process can ask before a job is taken. */
    private final List<ScopeService<?>> services = new CopyOnWriteArrayList<>();
    /** Makes the limits exact within a process. Processes do not wait for each other: together they may exceed a limit. */
    private final Map<Scope, ReentrantLock> doors = new ConcurrentHashMap<>();

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
        behind(
                jobs.keySet().stream()
                        .sorted(Comparator.comparing(Scope::jobType))
                        .toList(),
                round::askAndStore);
        round.askAgain();
        return new Submission(request.id().id(), correlation, round.answers(), round.problems());
    }

    /** Always in the same order, so that two who want the same scopes do not wait for each other. */
    private void behind(List<Scope> inOrder, Runnable work) {
        if (inOrder.isEmpty()) {
            work.run();
            return;
        }
        ReentrantLock door = doors.computeIfAbsent(inOrder.get(0), scope -> new ReentrantLock());
        door.lock();
        try {
            behind(inOrder.subList(1, inOrder.size()), work);
        } finally {
            door.unlock();
        }
    }
}
