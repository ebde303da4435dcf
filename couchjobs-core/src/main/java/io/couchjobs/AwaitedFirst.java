package io.couchjobs;

import io.couchjobs.job.AddResult;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Writes the jobs of one call in rounds. A job that waits for other jobs of the same call is written in a later round than those.
 * In the same round, their earlier states could release it: for example, when yesterday's finished jobs are added again. Not
 * thread-safe.
 */
final class AwaitedFirst {
    private final List<JobRequest> requests;
    private final Map<JobId, Set<JobId>> awaited = new HashMap<>();

    AwaitedFirst(List<JobRequest> requests) {
        this.requests = requests;
        Set<JobId> inCall = new HashSet<>();
        requests.forEach(request -> inCall.add(request.id()));
        for (JobRequest request : requests) {
            Set<JobId> before = new HashSet<>(request.awaited());
            before.retainAll(inCall);
            before.remove(request.id());
            if (!before.isEmpty()) {
                awaited.computeIfAbsent(request.id(), id -> new HashSet<>()).addAll(before);
            }
        }
    }

    /** {@return the jobs, followed by the completion job that waits for all of them} */
    static List<JobRequest> batch(List<JobRequest> jobs, JobRequest completion) {
        if (jobs.isEmpty()) {
            throw new IllegalArgumentException("a batch needs at least one job");
        }
        List<JobRequest> all = new ArrayList<>(jobs);
        all.add(completion.after(jobs.stream().map(JobRequest::id).toList()));
        return all;
    }

    /**
     * Adds the jobs. A job that waits for other jobs of the call is written even if it is pending with the same time, because their
     * earlier states may have released it already. It is rejected when one of those jobs is rejected: otherwise the earlier state
     * of that job could release it.
     *
     * @param add adds some jobs; its second argument says whether to replace the data of pending jobs
     * @param replace whether to replace the data of pending jobs that wait for no other job of the call
     * @return the result of each request, in the same order
     */
    List<AddResult> add(BiFunction<List<JobRequest>, Boolean, List<AddResult>> add, boolean replace) {
        Map<JobId, AddResult> rejected = new HashMap<>();
        return inRounds(round -> {
            List<JobRequest> fitting = new ArrayList<>();
            Map<Integer, AddResult> held = new LinkedHashMap<>();
            for (int i = 0; i < round.size(); i++) {
                JobId id = round.get(i).id();
                int place = i;
                awaited(id).stream()
                        .filter(rejected::containsKey)
                        .findFirst()
                        .map(rejected::get)
                        .ifPresentOrElse(
                                other -> held.put(place, rejected(id, other)), () -> fitting.add(round.get(place)));
            }
            boolean waits = !round.isEmpty() && !awaited(round.get(0).id()).isEmpty();
            List<AddResult> results =
                    new ArrayList<>(fitting.isEmpty() ? List.of() : add.apply(fitting, replace || waits));
            held.forEach(results::add);
            results.stream()
                    .filter(result -> result.outcome() == AddResult.Outcome.REJECTED)
                    .forEach(result -> rejected.put(result.id(), result));
            return results;
        });
    }

    /**
     * Calls a function once per round.
     *
     * @param write the function; it returns one result for each given job, in the same order
     * @return all results, in the order of the requests
     */
    private List<AddResult> inRounds(Function<List<JobRequest>, List<AddResult>> write) {
        if (awaited.isEmpty()) {
            return write.apply(requests);
        }
        Map<Integer, AddResult> answers = new TreeMap<>();
        Set<JobId> open = new HashSet<>();
        requests.forEach(request -> open.add(request.id()));
        while (!open.isEmpty()) {
            List<JobId> ready = open.stream()
                    .filter(id -> awaited(id).stream().noneMatch(open::contains))
                    .toList();
            Set<JobId> now = new HashSet<>(ready.isEmpty() ? open : ready); // none ready: the rest wait for each other
            open.removeAll(now);
            List<Integer> places = places(now);
            List<AddResult> answered =
                    write.apply(places.stream().map(requests::get).toList());
            for (int i = 0; i < places.size(); i++) {
                answers.put(places.get(i), answered.get(i));
            }
        }
        return new ArrayList<>(answers.values());
    }

    private List<Integer> places(Collection<JobId> ids) {
        return IntStream.range(0, requests.size())
                .filter(place -> ids.contains(requests.get(place).id()))
                .boxed()
                .toList();
    }

    private Set<JobId> awaited(JobId id) {
        return awaited.getOrDefault(id, Set.of());
    }

    private static AddResult rejected(JobId id, AddResult other) {
        return AddResult.rejected(
                id, "it waits for job " + other.id() + " of the same call, which was rejected: " + other.problem());
    }
}
