package io.couchjobs.engine.scope;

import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.scope.Ending;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.ScopeConfig;
import io.couchjobs.scope.ScopeService;
import io.couchjobs.scope.Scopes;
import io.couchjobs.scope.Submission;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Submits one job to some scopes. Checks for each scope whether it takes the job, and writes the jobs for all scopes that
 * do in one bulk write. Not thread-safe.
 *
 * <p>Between the check and the write, another process may stop a scope and cancel the jobs that it finds there, which do
 * not include this job yet. So the state of the scope is read again after the write. If the scope was stopped before this
 * second reading, the job is withdrawn here. If the scope is stopped later, the process that stops it finds the job.
 */
final class SubmitRound {
    private static final Logger log = LoggerFactory.getLogger(SubmitRound.class);

    private final Tools tools;
    private final List<ScopeService<?>> services;
    private final Map<Scope, JobRequest> jobs;
    private final @Nullable Consumer<Ending> hook;
    private final Map<Scope, Submission.Answer> answers = new LinkedHashMap<>();
    private final Map<Scope, String> problems = new LinkedHashMap<>();
    private final Map<Scope, Job> taken = new LinkedHashMap<>();
    private final Map<JobId, EndNotifier.Expected> expected = new HashMap<>();
    private Map<Scope, Scopes.State> states = Map.of();

    SubmitRound(
            Tools tools, List<ScopeService<?>> services, Map<Scope, JobRequest> jobs, @Nullable Consumer<Ending> hook) {
        this.tools = tools;
        this.services = services;
        this.jobs = jobs;
        this.hook = hook;
        jobs.keySet().forEach(scope -> answers.put(scope, Submission.Answer.OK));
    }

    Map<Scope, Submission.Answer> answers() {
        return Collections.unmodifiableMap(answers);
    }

    Map<Scope, String> problems() {
        return Collections.unmodifiableMap(problems);
    }

    void askAndStore() {
        states = tools.scopes().read(jobs.keySet());
        Map<Scope, Long> unfinished =
                unfinished(jobs.keySet().stream().filter(this::isRunning).toList());
        jobs.forEach((scope, job) -> judge(scope, job, unfinished.getOrDefault(scope, 0L)));
        List<Scope> taking = wherever(Submission.Answer.OK);
        if (!taking.isEmpty()) {
            store(taking);
        }
    }

    /**
     * Reads again whether the scopes that took the job are running. A scope whose state cannot be read now keeps the job.
     * If that scope was stopped, the process that serves it will cancel the job.
     */
    void askAgain() {
        try {
            Map<Scope, Scopes.State> now = tools.scopes().read(taken.keySet());
            taken.forEach((scope, job) -> {
                Scopes.State state = now.get(scope);
                if ((state == null || !state.isRunning()) && isWithdrawn(job)) {
                    refuse(scope, Submission.Answer.SCOPE_SHUTDOWN, "it was stopped meanwhile");
                }
            });
        } catch (CouchException unknown) {
            log.debug("it cannot be told now whether {} still run", taken.keySet(), unknown);
        }
    }

    private boolean isRunning(Scope scope) {
        Scopes.State state = states.get(scope);
        return state != null && state.isRunning();
    }

    /** Counts the unfinished jobs of the scopes. Asks once for a single scope, and once for all types when there are more. */
    private Map<Scope, Long> unfinished(List<Scope> running) {
        JobIndex index = tools.parts().index();
        if (running.size() <= 1) {
            Map<Scope, Long> one = new HashMap<>();
            running.forEach(scope ->
                    one.put(scope, ScopeCounts.unfinished(index.counts().of(scope.jobType()))));
            return one;
        }
        Map<String, Map<JobStatus, Long>> counts = index.counts().byTypeHere();
        Map<Scope, Long> each = new HashMap<>();
        running.forEach(scope -> {
            Map<JobStatus, Long> ofScope = counts.getOrDefault(scope.jobType(), new EnumMap<>(JobStatus.class));
            each.put(
                    scope,
                    ofScope.entrySet().stream()
                            .filter(count -> count.getKey().phase() != JobPhase.FINISHED)
                            .mapToLong(Map.Entry::getValue)
                            .sum());
        });
        return each;
    }

    /**
     * Checks a scope in this order: shutdown, free place, runnable, filter. A place is free while the scope has fewer
     * unfinished jobs than its concurrency and its queue limit together.
     */
    private void judge(Scope scope, JobRequest job, long unfinished) {
        Scopes.State state = states.get(scope);
        if (state == null || !state.isRunning()) {
            refuse(scope, Submission.Answer.SCOPE_SHUTDOWN, state == null ? "it was never started" : "it is stopped");
            return;
        }
        ScopeConfig config = state.config();
        if (unfinished >= (long) config.concurrency() + config.queueLimit()) {
            refuse(scope, Submission.Answer.JOB_QUEUE_FULL, unfinished + " jobs run or wait");
            return;
        }
        Optional<String> problem = servicesOf(scope)
                .flatMap(service -> service.problemOf(job.data()).stream())
                .findFirst();
        if (problem.isPresent()) {
            refuse(scope, Submission.Answer.NOT_RUNNABLE, problem.get());
            return;
        }
        rejection(scope, job, config).ifPresent(reason -> refuse(scope, Submission.Answer.JOB_REJECTED, reason));
    }

    private Optional<String> rejection(Scope scope, JobRequest request, ScopeConfig config) {
        String jobClass = request.jobClass().orElse("");
        if (!config.classes().isEmpty() && !config.classes().contains(jobClass)) {
            return Optional.of("it does not take jobs of class \"" + jobClass + "\"");
        }
        Job job = Transitions.create(request, tools.parts().clock().instant());
        return servicesOf(scope)
                .flatMap(service -> service.rejectionOf(job).stream())
                .findFirst();
    }

    private Stream<ScopeService<?>> servicesOf(Scope scope) {
        return services.stream().filter(service -> service.serves(scope));
    }

    private void store(List<Scope> taking) {
        List<JobRequest> requests = taking.stream().map(this::job).toList();
        taking.forEach(scope -> tools.endings()
                .expect(scope, job(scope).id(), hook)
                .ifPresent(ending -> expected.put(job(scope).id(), ending)));
        List<AddResult> stored = insert(requests);
        for (int i = 0; i < stored.size(); i++) {
            Scope scope = taking.get(i);
            AddResult result = stored.get(i);
            result.job()
                    .ifPresentOrElse(
                            job -> taken(scope, job),
                            () -> refuse(scope, Submission.Answer.NOT_RUNNABLE, String.valueOf(result.problem())));
        }
    }

    private void taken(Scope scope, Job job) {
        taken.put(scope, job);
        Optional.ofNullable(expected.get(job.id()))
                .ifPresentOrElse(ending -> tools.endings().stored(ending, job), () -> tools.endings()
                        .storedUnheard(job.id()));
    }

    private List<AddResult> insert(List<JobRequest> requests) {
        try {
            return new Creator(tools.parts().store(), tools.parts().clock()).insertAll(requests);
        } catch (RuntimeException notAnswered) {
            expected.values().forEach(tools.endings()::forget);
            throw notAnswered;
        }
    }

    /**
     * Withdraws a job unless it has changed. A job that was claimed or cancelled meanwhile counts as taken, and has an
     * end of its own.
     */
    private boolean isWithdrawn(Job job) {
        EndNotifier.Expected ending = expected.get(job.id());
        if (ending != null && !tools.endings().forget(ending)) {
            return false;
        }
        boolean gone = false;
        try {
            gone = tools.parts().store().delete(job) instanceof WriteResult.Stored;
        } finally {
            if (!gone && ending != null) {
                tools.endings().expectAgain(ending);
            }
        }
        return gone;
    }

    private void refuse(Scope scope, Submission.Answer answer, String problem) {
        answers.put(scope, answer);
        problems.put(scope, problem);
        EndNotifier.Expected ending = expected.get(job(scope).id());
        if (ending != null) {
            tools.endings().forget(ending);
        }
        if (states.containsKey(scope)) {
            tools.rejections().add(scope, answer);
        }
    }

    private JobRequest job(Scope scope) {
        return Objects.requireNonNull(jobs.get(scope));
    }

    private List<Scope> wherever(Submission.Answer answer) {
        return answers.keySet().stream()
                .filter(scope -> answers.get(scope) == answer)
                .toList();
    }
}
