package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.dashboard.view.CountedEnds;
import io.couchjobs.job.JobId;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts the runs that ended in each of the last seconds, and measures how long they waited and ran. In a second with many runs,
 * only the first few hundred are timed. Thread-safe. No method takes long, because the thread of the feed calls them.
 */
final class Traffic {
    /** How many seconds are remembered. */
    static final int SECONDS = 300;

    private static final int SAMPLES = 500;

    /** How many types are counted separately in a second; further types appear only in the total. */
    private static final int MOST_TYPES = 30;

    /** The entries of {@code times} that tell when a cancelled run stopped. */
    private static final List<String> STOPPED = List.of("stopped", "failed", "expired");

    /** The entries of {@code times} from which on a job may be claimed, as in {@link io.couchjobs.job.Job#dueSince}. */
    private static final List<String> DUE =
            List.of("created", "letGo", "retried", "released", "snoozed", "resubmitted", "expired");

    private final Deque<ObjectNode> past = new ArrayDeque<>();
    private final CountedEnds counted = new CountedEnds();
    private Runs present = new Runs();
    private final Map<String, Runs> presentByType = new TreeMap<>();

    /** Counts the ended run that a job's document shows, unless it was counted before. */
    synchronized void note(String docId, JsonNode document) {
        String status = document.path("status").asText();
        JsonNode times = document.path("times");
        long ended =
                switch (status) {
                    case "success", "failed", "cancelled" ->
                        times.path("finished").asLong();
                    case "stuck" -> times.path("failed").asLong();
                    default -> 0;
                };
        if (ended == 0 || !counted.add(docId, ended)) {
            return;
        }
        long started = times.path("started").asLong();
        boolean hasRun = !status.equals("cancelled")
                || STOPPED.stream()
                        .anyMatch(moment ->
                                times.path(moment).asLong() == ended); // otherwise it was cancelled while it waited
        long ran = hasRun && started > 0 && started <= ended ? ended - started : -1;
        long due = DUE.stream()
                .mapToLong(moment -> times.path(moment).asLong())
                .reduce(document.path("scheduledTime").asLong(), Math::max);
        boolean hasWaited =
                due > 0 && document.path("attempt").asInt() <= 1 && !status.equals("stuck") && due <= started;
        long waited = ran >= 0 && hasWaited ? started - due : -1;
        present.add(status, ran, waited);
        String type = JobId.fromDocId(docId).map(JobId::type).orElse("");
        if (presentByType.containsKey(type) || presentByType.size() < MOST_TYPES) {
            presentByType.computeIfAbsent(type, name -> new Runs()).add(status, ran, waited);
        }
    }

    /** Ends the present second and returns its numbers. */
    synchronized ObjectNode tick(long now) {
        ObjectNode second = Call.JSON.createObjectNode().put("at", now);
        present.writeTo(second);
        if (!presentByType.isEmpty()) {
            ObjectNode types = second.putObject("types");
            presentByType.forEach((type, runs) -> runs.writeTo(types.putObject(type)));
        }
        past.addLast(second);
        if (past.size() > SECONDS) {
            past.removeFirst();
        }
        present = new Runs();
        presentByType.clear();
        return second.deepCopy();
    }

    synchronized ArrayNode history() {
        ArrayNode seconds = Call.JSON.createArrayNode();
        past.forEach(second -> seconds.add(second.deepCopy()));
        return seconds;
    }

    /** The runs that ended in one second. */
    private static final class Runs {
        private final Times ran = new Times();
        private final Times waited = new Times();
        private long succeeded;
        private long retried;
        private long failed;
        private long cancelled;

        /** Counts a run; a negative time is unknown. */
        void add(String status, long ranMillis, long waitedMillis) {
            switch (status) {
                case "success" -> succeeded++;
                case "stuck" -> retried++;
                case "failed" -> failed++;
                default -> cancelled++;
            }
            ran.add(ranMillis);
            waited.add(waitedMillis);
        }

        void writeTo(ObjectNode json) {
            json.put("ok", succeeded)
                    .put("retried", retried)
                    .put("failed", failed)
                    .put("cancelled", cancelled);
            ran.writeTo("run", json);
            waited.writeTo("wait", json);
        }
    }

    /** The first few hundred times of a second. */
    private static final class Times {
        private long[] millis = new long[8];
        private int count;

        void add(long time) {
            if (time < 0 || count == SAMPLES) {
                return;
            }
            if (count == millis.length) {
                millis = Arrays.copyOf(millis, Math.min(SAMPLES, 2 * count));
            }
            millis[count++] = time;
        }

        void writeTo(String name, ObjectNode json) {
            if (count > 0) {
                Arrays.sort(millis, 0, count);
                json.put(name, at(0.5)).put(name + "95", at(0.95));
            }
        }

        private long at(double part) {
            return millis[(int) Math.min(count - 1L, Math.round(part * (count - 1)))];
        }
    }
}
