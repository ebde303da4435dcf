package io.couchjobs;

import io.couchjobs.engine.Engine;
import io.couchjobs.engine.create.AddRules;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Adds the jobs that the rules of the queue allow. A job that waits for other jobs of the same call is added after them.
 * Thread-safe. {@link JobCreator} describes the methods.
 */
record Additions(Engine engine, AddRules rules) {
    AddResult add(JobRequest request) {
        rules.check(request);
        return engine.creator().addOne(request);
    }

    CompletableFuture<AddResult> addAsync(JobRequest request) {
        rules.check(request);
        return engine.asyncCreator().add(request);
    }

    /**
     * Adds jobs as {@link JobCreator#replaceAll} does if {@code replace} is true, and otherwise as {@link JobCreator#addAll} does.
     */
    List<AddResult> addAll(List<JobRequest> requests, boolean replace) {
        return new AwaitedFirst(requests).add(this::addRound, replace);
    }

    private List<AddResult> addRound(List<JobRequest> requests, boolean replace) {
        return rules.allowed(requests, allowed -> engine.creator().add(allowed, replace));
    }

    Job insert(JobRequest request) {
        rules.check(request);
        return engine.creator().insert(request);
    }

    List<AddResult> insert(List<JobRequest> requests) {
        return new AwaitedFirst(requests).add((round, replace) -> insertRound(round), false);
    }

    private List<AddResult> insertRound(List<JobRequest> requests) {
        return rules.allowed(requests, engine.creator()::insertAll);
    }

    boolean insertIfNew(JobRequest request) {
        rules.check(request);
        return engine.creator().insertIfNew(request);
    }

    List<Boolean> insertIfNew(List<JobRequest> requests) {
        return new AwaitedFirst(requests)
                .add((round, replace) -> insertRoundIfNew(round), false).stream()
                        .map(result -> result.outcome() == AddResult.Outcome.ADDED)
                        .toList();
    }

    private List<AddResult> insertRoundIfNew(List<JobRequest> requests) {
        List<AddResult> inserted = insertRound(requests);
        List<AddResult> results = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            JobRequest request = requests.get(i);
            AddResult first = inserted.get(i);
            boolean isDecided = first.outcome() == AddResult.Outcome.ADDED || !rules.allow(request);
            results.add(isDecided ? first : engine.creator().addIfNew(request));
        }
        return List.copyOf(results);
    }
}
