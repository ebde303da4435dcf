package io.couchjobs.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.DictionaryFile;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.couchjobs.JobQueue;
import io.couchjobs.LocalQueue;
import io.couchjobs.dashboard.Dashboard;
import io.couchjobs.dashboard.DashboardHandler;
import io.couchjobs.embedded.http.ToMemory;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobRequest;
import io.couchjobs.schedule.Schedule;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;

/** Names that look like paths, queries, shell or HTML: refused at once, or data that comes back as it was given. */
class NamesFuzzTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final List<String> NAMES = List.of(
            "t",
            "1",
            "..",
            ".",
            "../x",
            "a/b",
            "a%2Fb",
            "a?b=c&d",
            "a#b",
            "a+b",
            "a b",
            "\"",
            "\\",
            "<b>",
            "';--",
            "$(id)",
            "`id`",
            "_design/x",
            "_all_docs",
            "ÿ",
            "\uffff",
            "\ufff0",
            "\ud83d\ude00",
            "__proto__",
            "constructor",
            "null",
            "true",
            "{}",
            "[]",
            "a:b",
            ":",
            "\u2028",
            "%00",
            "%",
            "a@2030-01-01T00:00:00Z");

    @SuppressWarnings("NullAway.Init")
    private static JobQueue queue;

    @SuppressWarnings("NullAway.Init")
    private static DashboardHandler dashboard;

    @BeforeAll
    static void open() {
        queue = LocalQueue.open();
        dashboard = Dashboard.of(queue).handler();
    }

    @FuzzTest
    @DictionaryFile(resourcePath = "/words.dict")
    void names_come_back_as_they_were(FuzzedDataProvider data) throws IOException, InterruptedException {
        JobRequest request;
        String type = name(data);
        String id = name(data);
        String label = name(data);
        try {
            request = JobRequest.builder(type)
                    .id(id)
                    .group(label)
                    .tag(label)
                    .correlationId(label)
                    .jobClass(label)
                    .data(Map.of(label, name(data)))
                    .build();
        } catch (IllegalArgumentException | InvalidJobDataException refused) {
            assertThat(refused.getMessage()).isNotBlank();
            return;
        }
        String docId = request.id().docId();
        try {
            Job stored = queue.insert(request);
            checkReads(request, stored, label);
            checkPage(type, id);
            checkRun(request);
            checkSchedule(type, label);
        } finally {
            LocalQueue.purge(queue, docId);
            LocalQueue.purge(queue, "type:" + type);
        }
    }

    private static void checkReads(JobRequest request, Job stored, String label) {
        String type = request.id().type();
        assertThat(Job.sayTheSame(queue.database().get(request.id().docId()).orElseThrow(), stored.toDocument()))
                .isTrue();
        Job read = queue.get(type, request.id().id()).orElseThrow();
        assertThat(read.id()).isEqualTo(request.id());
        assertThat(read.data()).isEqualTo(request.data());
        assertThat(read.tags()).containsExactly(label);
        assertThat(queue.types().counts()).containsKey(type);
        queue.types().setTimeout(type, Duration.ofSeconds(9));
        assertThat(queue.types().names()).contains(type);
        assertThat(queue.types().timeout(type)).contains(Duration.ofSeconds(9));
        assertThat(queue.types().activeIds(type)).isEmpty();
        for (JobFilter filter : List.of(
                JobFilter.all().type(type),
                JobFilter.all().type(type).group(label),
                JobFilter.all().tag(label),
                JobFilter.all().correlationId(label))) {
            assertThat(queue.list(filter, 5)).extracting(Job::id).containsExactly(request.id());
        }
    }

    private static void checkPage(String type, String id) throws IOException {
        ToMemory exchange = new ToMemory(
                "GET",
                URI.create("/api/job?type=" + encoded(type) + "&id=" + encoded(id)),
                Map.of("Host", "localhost"),
                new byte[0]);
        dashboard.handle(exchange);
        JsonNode answer = MAPPER.readTree(exchange.answer());
        assertThat(exchange.getResponseCode()).as(answer.toString()).isEqualTo(200);
        assertThat(answer.findValuesAsText("id")).contains(id);
        assertThat(exchange.getResponseHeaders().getFirst("Content-Type")).isEqualTo("application/json");
    }

    private static void checkRun(JobRequest request) throws InterruptedException {
        String type = request.id().type();
        List<ClaimedJob> claimed = queue.accept(AcceptOptions.of(type).timeout(Duration.ZERO));
        assertThat(claimed).extracting(ClaimedJob::id).containsExactly(request.id());
        assertThat(claimed.get(0).data()).isEqualTo(request.data());
        assertThat(queue.types().activeIds(type)).containsExactly(request.id().id());
        assertThat(claimed.get(0).finish(request.data()).result()).contains(request.data());
    }

    private static void checkSchedule(String type, String name) {
        try {
            queue.schedules()
                    .put(Schedule.named(name)
                            .every(Duration.ofHours(1))
                            .job(JobRequest.builder(type).data(Map.of()).build())
                            .build());
        } catch (IllegalArgumentException refused) {
            return;
        }
        assertThat(queue.schedules().get(name)).map(Schedule::name).contains(name);
        assertThat(queue.schedules().list()).extracting(Schedule::name).containsExactly(name);
        queue.schedules().remove(name);
        LocalQueue.purge(queue, "schedule:" + name);
    }

    private static String name(FuzzedDataProvider data) {
        return switch (data.consumeInt(0, 3)) {
            case 0 -> data.consumeString(20);
            case 1 -> data.pickValue(NAMES) + data.pickValue(NAMES);
            case 2 -> data.pickValue(NAMES) + data.consumeString(5);
            default -> data.pickValue(NAMES);
        };
    }

    private static String encoded(String name) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8);
    }
}
