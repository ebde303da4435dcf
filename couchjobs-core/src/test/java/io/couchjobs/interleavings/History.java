package io.couchjobs.interleavings;

import io.couchjobs.job.Job;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/** What happened to one job in one order of requests. Calls are added by players, steps by the schedule. */
final class History {
    private final List<Call> calls = new CopyOnWriteArrayList<>();
    private final List<Step> steps = new ArrayList<>();
    private Optional<Job> present = Optional.empty();

    /** The game begins with this job; what was done to prepare it is not judged. */
    void begin(Optional<Job> job) {
        present = job;
        calls.clear();
    }

    void add(Call call) {
        calls.add(call);
    }

    Step add(Call call, String request, Optional<Job> after) {
        Step step = new Step(call, request, present, after);
        steps.add(step);
        present = after;
        return step;
    }

    List<Call> calls() {
        return calls;
    }

    List<Step> steps() {
        return steps;
    }

    List<Step> of(Call call) {
        return steps.stream().filter(step -> step.call().equals(call)).toList();
    }

    Optional<Job> present() {
        return present;
    }

    /** All states that the job had from the first to the last request of a call, those made by others too. */
    List<Optional<Job>> during(Call call) {
        List<Optional<Job>> states = new ArrayList<>();
        int first = 0;
        while (first < steps.size() && !steps.get(first).call().equals(call)) {
            first++;
        }
        int last = steps.size() - 1;
        while (last >= first && !steps.get(last).call().equals(call)) {
            last--;
        }
        for (int i = first; i <= last; i++) {
            states.add(steps.get(i).before());
            states.add(steps.get(i).after());
        }
        return states;
    }

    @Override
    public String toString() {
        return "steps:\n  "
                + steps.stream().map(Step::toString).collect(Collectors.joining("\n  "))
                + "\ncalls:\n  "
                + calls.stream().map(Call::toString).collect(Collectors.joining("\n  "));
    }
}
