package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How many runs ended in each of the last seconds, and how long they had waited and took. In a second with many runs, only the
 * first few hundred are timed. Thread-safe; nothing here takes long, because the feed's thread calls it.
 */
final class Traffic {
    /** For how many seconds it is remembered. */
    static final int SECONDS = 300;

    private static final int MOST_REMEMBERED = 20_000;
    private static final int SAMPLES = 500;

    private final Deque<Second> past = new ArrayDeque<>();
    /** When the last counted run of each job ended: events come twice, and may repeat an earlier end. */
    private final Map<String, Long> counted = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MOST_REMEMBERED;
        }
    };

    private Second present = new Second(0);

    /** Takes in a job as its document is now. */
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
        Long before = ended == 0 ? null : counted.put(docId, ended);
        if (ended == 0 || (before != null && before >= ended)) {
            return;
        }
        present.count(status);
        long started = times.path("started").asLong();
        if (started > 0 && started <= ended) {
            present.ran(ended - started);
            long due = Math.max(
                    times.path("created").asLong(),
                    document.path("scheduledTime").asLong());
            if (due > 0 && document.path("attempt").asInt() <= 1 && !status.equals("stuck") && due <= started) {
                present.waited(started - due);
            }
        }
    }

    /** Ends a second. */
    synchronized ObjectNode tick(long now) {
        present.at = now;
        past.addLast(present);
        if (past.size() > SECONDS) {
            past.removeFirst();
        }
        ObjectNode json = present.json();
        present = new Second(now);
        return json;
    }

    synchronized ArrayNode history() {
        ArrayNode seconds = Call.JSON.createArrayNode();
        past.forEach(second -> seconds.add(second.json()));
        return seconds;
    }

    /** One second. */
    private static final class Second {
        private final long[] runs = new long[SAMPLES];
        private final long[] waits = new long[SAMPLES];
        private long at;
        private int ran;
        private int waited;
        private long succeeded;
        private long retried;
        private long failed;
        private long cancelled;

        Second(long at) {
            this.at = at;
        }

        void count(String status) {
            switch (status) {
                case "success" -> succeeded++;
                case "stuck" -> retried++;
                case "failed" -> failed++;
                default -> cancelled++;
            }
        }

        void ran(long millis) {
            if (ran < SAMPLES) {
                runs[ran++] = millis;
            }
        }

        void waited(long millis) {
            if (waited < SAMPLES) {
                waits[waited++] = millis;
            }
        }

        ObjectNode json() {
            ObjectNode json = Call.JSON
                    .createObjectNode()
                    .put("at", at)
                    .put("ok", succeeded)
                    .put("retried", retried)
                    .put("failed", failed)
                    .put("cancelled", cancelled);
            if (ran > 0) {
                json.put("run", at(0.5, runs, ran)).put("run95", at(0.95, runs, ran));
            }
            if (waited > 0) {
                json.put("wait", at(0.5, waits, waited)).put("wait95", at(0.95, waits, waited));
            }
            return json;
        }

        private static long at(double part, long[] values, int count) {
            long[] sorted = Arrays.copyOf(values, count);
            Arrays.sort(sorted);
            return sorted[(int) Math.min(count - 1L, Math.round(part * (count - 1)))];
        }
    }
}
