package io.couchjobs.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.DictionaryFile;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.LocalQueue;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.dashboard.Dashboard;
import io.couchjobs.dashboard.DashboardHandler;
import io.couchjobs.embedded.http.ToMemory;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.scope.Scope;
import io.couchjobs.type.TypeSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;

/**
 * Documents of all kinds that others wrote into a queue's database: no question about the queue breaks by
 * them, and only what is a job is claimed.
 */
class QueueDocumentsFuzzTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int MOST = 4;
    private static final Instant NOW = Instant.ofEpochMilli(1_700_000_000_000L);
    private static final List<String> IDS = List.of(
            "job:t:1",
            "job:t:2",
            "job:u:1",
            "job:",
            "job:t:",
            "type:t",
            "type:",
            "type:a:b",
            "schedule:s",
            "schedule:",
            "worker:w",
            "worker:",
            "scope:t:1",
            "scope:t",
            "scope:",
            "slot:t:0",
            "slot:t",
            "slot:",
            "log:t:1:0000000000000001:00000000",
            "log:t:1:9999999999999999:99999999",
            "log:t",
            "site",
            "gc:",
            "gc:t",
            "fenced");
    private static final List<String> PAGES = List.of(
            "overview",
            "types",
            "workers",
            "recurring",
            "problems",
            "jobs",
            "count?type=t",
            "job?type=t&id=1",
            "log?type=t&id=1");

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
    @DictionaryFile(resourcePath = "/job.dict")
    void no_document_breaks_the_queue(FuzzedDataProvider data) throws IOException, InterruptedException {
        List<ObjectNode> documents = documents(data);
        List<String> stored = new ArrayList<>();
        try {
            for (ObjectNode document : documents) {
                store(document).ifPresent(stored::add);
            }
            if (!stored.isEmpty()) {
                ask();
                claim(stored);
            }
        } finally {
            cleanUp(stored);
        }
    }

    private static void ask() throws IOException {
        queue.types().counts();
        queue.types().names().forEach(type -> read(queue.types().settings(type)));
        queue.operations().workers().forEach(worker -> worker.isSilent(NOW));
        queue.operations().malformed();
        queue.operations().orphaned();
        queue.list(JobFilter.all(), 10);
        queue.list(JobFilter.all().type("t").tag("x"), 10);
        queue.schedules().list().forEach(schedule -> schedule.next(NOW, 3));
        queue.schedules().malformed();
        queue.schedules().makeDue();
        queue.scopes().list("t");
        queue.scopes().state(Scope.of("t", "1"));
        queue.logs().read("t", "1").forEach(chunk -> assertThat(chunk.docId()).startsWith("log:t:1:"));
        for (String page : PAGES) {
            ToMemory exchange =
                    new ToMemory("GET", URI.create("/api/" + page), Map.of("Host", "localhost"), new byte[0]);
            dashboard.handle(exchange);
            assertThat(exchange.getResponseCode())
                    .as(page + " answered " + new String(exchange.answer(), StandardCharsets.UTF_8))
                    .isLessThan(500);
            MAPPER.readTree(exchange.answer());
        }
    }

    private static void read(TypeSettings settings) {
        settings.retryPolicy().delayAfter(100);
        settings.timeout();
        settings.rate();
        settings.retention();
        settings.failureRetention();
        settings.classes();
        assertThat(settings.toString()).isNotEmpty();
    }

    private static void claim(List<String> stored) throws InterruptedException {
        for (ClaimedJob claimed : queue.accept(AcceptOptions.of("t").max(8).timeout(Duration.ZERO))) {
            String id = claimed.id().docId();
            assertThat(stored.contains(id) || id.contains("@")).isTrue();
            assertThat(Job.parse(queue.database().get(id).orElseThrow()).isLockedBy(claimed.token()))
                    .isTrue();
            claimed.finish("done");
            if (!stored.contains(id)) {
                stored.add(id);
            }
        }
        for (String id : stored) {
            if (id.startsWith("job:")) {
                JobId.fromDocId(id).ifPresent(QueueDocumentsFuzzTest::lookAt);
            }
        }
    }

    private static void lookAt(JobId id) {
        try {
            queue.get(id.type(), id.id());
            queue.add(id.type(), Map.of());
        } catch (MalformedDocumentException malformed) {
            assertThat(malformed).hasMessageContaining(id.id());
        }
    }

    private static Optional<String> store(ObjectNode document) {
        try {
            WriteResult result = queue.database().put(document);
            return result instanceof WriteResult.Stored stored ? Optional.of(stored.id()) : Optional.empty();
        } catch (CouchException | IllegalArgumentException refused) {
            return Optional.empty();
        }
    }

    /** What the questions have added is a job of the type, too. */
    private static void cleanUp(List<String> stored) {
        stored.forEach(id -> LocalQueue.purge(queue, id));
        queue.database()
                .view(ViewQuery.allDocs().startKey("a").endKey("z"))
                .rows()
                .forEach(row -> LocalQueue.purge(queue, String.valueOf(row.id())));
    }

    private static List<ObjectNode> documents(FuzzedDataProvider data) {
        List<ObjectNode> documents = new ArrayList<>();
        for (int i = data.consumeInt(1, MOST); i > 0; i--) {
            String id = data.consumeInt(0, 9) == 0 ? data.consumeString(30) : data.pickValue(IDS);
            ObjectNode document = Trees.object(data).put("_id", id);
            if (isOurs(document)) {
                documents.add(document);
            }
        }
        return documents;
    }

    private static boolean isOurs(ObjectNode document) {
        String id = document.path("_id").asText();
        document.remove(List.of("_rev", "_attachments", "_deleted", "_revisions"));
        return !id.isEmpty() && !id.startsWith("_");
    }
}
