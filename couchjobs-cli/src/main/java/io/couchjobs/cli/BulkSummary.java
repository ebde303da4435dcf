package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.JobId;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Counts jobs by outcome and reason. Not thread-safe. */
final class BulkSummary {
    /** Further reasons are counted together, so that ever new messages of a server cannot fill the memory. */
    private static final int MOST_REASONS = 100;

    private final Map<Outcome.Kind, Long> counts = new EnumMap<>(Outcome.Kind.class);
    private final Map<Reason, Tally> reasons = new LinkedHashMap<>();

    private record Reason(Outcome.Kind kind, String what) {}

    /** The number of jobs, and one of them. */
    private record Tally(long jobs, JobId example) {
        Tally plus(Tally other) {
            return new Tally(jobs + other.jobs, example);
        }
    }

    void add(Outcome outcome) {
        counts.merge(outcome.kind(), 1L, Long::sum);
        Reason reason = new Reason(outcome.kind(), outcome.what());
        if (!reasons.containsKey(reason) && reasons.size() >= MOST_REASONS) {
            reason = new Reason(outcome.kind(), "other reasons");
        }
        reasons.merge(reason, new Tally(1, outcome.id()), Tally::plus);
    }

    long total() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** {@return whether no job refused the action; a job that is gone does not count as a refusal} */
    boolean isComplete() {
        return count(Outcome.Kind.REFUSED) == 0;
    }

    String line() {
        return "changed " + count(Outcome.Kind.CHANGED) + ", refused " + count(Outcome.Kind.REFUSED) + ", gone "
                + count(Outcome.Kind.GONE);
    }

    /** {@return the line, and below it a line for each reason} */
    List<String> lines() {
        List<String> lines = new ArrayList<>(List.of(line()));
        reasons.forEach((reason, tally) -> lines.add(line(reason, tally)));
        return lines;
    }

    /** {@return the lines for the reasons of refused jobs} */
    List<String> refusals() {
        return reasons.entrySet().stream()
                .filter(entry -> entry.getKey().kind == Outcome.Kind.REFUSED)
                .map(entry -> line(entry.getKey(), entry.getValue()))
                .toList();
    }

    private static String line(Reason reason, Tally tally) {
        return "  " + reason.kind + " " + tally.jobs + ": " + reason.what
                + (reason.kind == Outcome.Kind.REFUSED ? " (such as " + tally.example + ")" : "");
    }

    ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        for (Outcome.Kind kind : Outcome.Kind.values()) {
            json.put(kind.toString(), count(kind));
        }
        ArrayNode array = json.putArray("reasons");
        reasons.forEach((reason, tally) -> array.addObject()
                .put("outcome", reason.kind.toString())
                .put("reason", reason.what)
                .put("jobs", tally.jobs)
                .put("example", tally.example.toString()));
        return json;
    }

    private long count(Outcome.Kind kind) {
        return counts.getOrDefault(kind, 0L);
    }
}
