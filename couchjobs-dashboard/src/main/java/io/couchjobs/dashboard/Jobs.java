package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.dashboard.explain.Explainer;
import io.couchjobs.dashboard.explain.Reason;
import io.couchjobs.dashboard.view.ServerTime;
import io.couchjobs.job.AttachedData;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPage;
import io.couchjobs.job.Logs;
import io.couchjobs.job.NotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Answers requests for lists of jobs and for single jobs. Thread-safe. */
final class Jobs {
    private static final int MOST = 200;
    private static final int USUAL = 50;
    /** A page ends after the job with which its attached data reaches this size. */
    private static final long MOST_BYTES = 16L << 20;

    private static final int MOST_COUNTED = 1_000;
    private static final int MOST_LOG_LINES = 5_000;

    private static final int MOST_KEPT = 200;
    private static final Duration FRESH = Duration.ofSeconds(1);

    private final JobQueue queue;
    private final Counts counts;
    private final IdSearch search;
    /** The pages that were requested last, shared by all viewers. Guarded by itself. */
    private final Map<Asked, Cached<ObjectNode>> pages = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Asked, Cached<ObjectNode>> eldest) {
            return size() > MOST_KEPT;
        }
    };

    private record Asked(
            @Nullable String prefix,
            JobFilter filter,
            @Nullable String after,
            int limit) {}

    Jobs(JobQueue queue, Counts counts) {
        this.queue = queue;
        this.counts = counts;
        this.search = new IdSearch(queue, counts);
    }

    ObjectNode page(Call call) {
        Asked asked = new Asked(
                call.param("id").orElse(null),
                Filters.of(call),
                call.param("after").orElse(null),
                call.number("limit", 1, MOST).orElse(USUAL));
        Cached<ObjectNode> page;
        synchronized (pages) {
            page = pages.computeIfAbsent(
                    asked, question -> new Cached<>(FRESH, () -> read(question), queue.operations()::building));
        }
        return page.get();
    }

    /**
     * Returns the page that a program asks for. The page is read anew, and is shorter when the attached data of its jobs is
     * large. Refuses a limit out of bounds.
     */
    JobPage asked(Call call) {
        JobFilter filter = Filters.of(call);
        JobPage.Place after = call.param("after").map(Jobs::place).orElse(null);
        JobPage page = queue.page(filter, after, call.number("limit", 1, MOST).orElse(USUAL));
        int fitting = fitting(page.jobs());
        return fitting < page.jobs().size() ? queue.page(filter, after, fitting) : page;
    }

    private static int fitting(List<Job> jobs) {
        int count = 0;
        for (long bytes = 0; count < jobs.size() && bytes < MOST_BYTES; count++) {
            bytes += AttachedData.attachedBytes(jobs.get(count));
        }
        return count;
    }

    private ObjectNode read(Asked asked) {
        if (asked.prefix != null) {
            return search.page(asked.prefix, asked.filter, Optional.ofNullable(asked.after), asked.limit);
        }
        JobPage.Place after = Optional.ofNullable(asked.after).map(Jobs::place).orElse(null);
        JobPage page = queue.page(asked.filter, after, asked.limit);
        ObjectNode json = Call.JSON.createObjectNode();
        ArrayNode jobs = json.putArray("jobs");
        page.jobs().stream().map(JobJson::summary).forEach(jobs::add);
        json.put("next", page.next().map(Jobs::text).orElse(null));
        if (!Filters.hasLabel(asked.filter)) {
            json.put("count", counts.of(asked.filter));
        }
        return json;
    }

    /**
     * Counts the jobs that a bulk action would act on. The index has the number unless the filter has a label or a site; then
     * jobs are counted page by page, up to a bound.
     */
    ObjectNode count(Call call) {
        JobFilter filter = Filters.of(call);
        ObjectNode json = Call.JSON.createObjectNode();
        if (!Filters.hasLabel(filter)) {
            counts.forget();
            return json.put("count", counts.of(filter)).put("atLeast", false);
        }
        int count = 0;
        JobPage.Place place = null;
        do {
            JobPage page = queue.page(filter, place, MOST_COUNTED / 2);
            count += page.jobs().size();
            place = page.end();
        } while (place != null && count < MOST_COUNTED);
        return json.put("count", count).put("atLeast", place != null);
    }

    ObjectNode job(Call call) {
        JobId id = new JobId(call.required("type"), call.required("id"));
        Job job = queue.get(id.type(), id.id()).orElseThrow(() -> new NotFoundException(id));
        return JobJson.whole(job).put("now", ServerTime.millis(queue));
    }

    /** Explains why a job does not run, the decisive reason first. */
    ObjectNode explain(Call call) {
        JobId id = new JobId(call.required("type"), call.required("id"));
        ObjectNode json = Call.JSON.createObjectNode();
        ArrayNode reasons = json.putArray("reasons");
        Explainer.explain(queue, id).stream().map(Reason::json).forEach(reasons::add);
        return json;
    }

    /** Returns the first lines of a log. To show the newest lines, all lines would have to be read. */
    ObjectNode log(Call call) {
        ObjectNode json = Call.JSON.createObjectNode();
        ArrayNode chunks = json.putArray("chunks");
        int lines = 0;
        try (Stream<Logs.Chunk> log = queue.logs().read(call.required("type"), call.required("id"))) {
            var all = log.iterator();
            while (all.hasNext() && lines < MOST_LOG_LINES) {
                Logs.Chunk chunk = all.next();
                lines += chunk.lines().size();
                chunks.add(json(chunk));
            }
            return json.put("more", all.hasNext());
        }
    }

    static ObjectNode json(Logs.Chunk chunk) {
        ObjectNode json = Call.JSON
                .createObjectNode()
                .put("fence", chunk.lines().isEmpty() ? 0 : chunk.lines().get(0).fence())
                .put("number", chunk.number())
                .put("dropped", chunk.dropped());
        ArrayNode lines = json.putArray("lines");
        chunk.lines().forEach(line -> lines.addObject()
                .put("attempt", line.attempt())
                .put("at", line.at().toEpochMilli())
                .put("text", line.text()));
        return json;
    }

    static String text(JobPage.Place place) {
        ArrayNode parts = Call.JSON
                .createArrayNode()
                .add(place.time())
                .add(place.kind())
                .add(place.name())
                .add(place.docId());
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(parts.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static JobPage.Place place(String text) {
        return decoded(text)
                .filter(parts -> parts.size() == 4 && parts.path(0).isIntegralNumber())
                .map(parts -> new JobPage.Place(
                        parts.path(0).asLong(),
                        parts.path(1).asText(),
                        parts.path(2).asText(),
                        parts.path(3).asText()))
                .orElseThrow(() -> new Refusal(400, "not a place in a list: " + text));
    }

    private static Optional<JsonNode> decoded(@Nullable String text) {
        try {
            return Optional.ofNullable(
                    Call.JSON.readTree(new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8)));
        } catch (IOException | IllegalArgumentException notOurs) {
            return Optional.empty();
        }
    }
}
