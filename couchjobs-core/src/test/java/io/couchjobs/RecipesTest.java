package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.DuplicateJobException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.SnoozeException;
import io.couchjobs.worker.Worker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The examples of the recipes. */
@ServerTest
@SuppressWarnings("try") // the workers only have to be there
class RecipesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    interface MailServer {
        int send(Mail mail, String messageId);
    }

    record Mail(String to, String subject) {}

    static boolean orderShipped(JobQueue queue, String order, String to) {
        try {
            queue.insert(JobRequest.builder("mail")
                    .id("shipped-" + order)
                    .data(new Mail(to, "Your order " + order))
                    .build());
            return true;
        } catch (DuplicateJobException sentAlready) {
            return false;
        }
    }

    static Worker postOffice(JobQueue queue, MailServer server) {
        return queue.worker()
                .concurrency(4)
                .handler("mail", Mail.class, (mail, context) -> {
                    int reply = server.send(mail, context.id().docId());
                    if (reply >= 500) {
                        throw new PermanentJobException("the mail server refuses it: " + reply);
                    } else if (reply >= 400) {
                        throw new SnoozeException(Duration.ofMinutes(15));
                    }
                    return Map.of("reply", reply);
                })
                .start();
    }

    static void read(JobQueue queue, String file, int pages) {
        List<JobRequest> parts = IntStream.range(0, pages)
                .mapToObj(page -> JobRequest.builder("ocr")
                        .id(file + "-" + page)
                        .correlationId(file)
                        .data(Map.of("file", file, "page", page))
                        .build())
                .toList();
        queue.addBatch(
                parts,
                JobRequest.builder("assemble")
                        .id(file)
                        .correlationId(file)
                        .data(Map.of("file", file))
                        .build());
    }

    static Worker reader(JobQueue queue) {
        return queue.worker()
                .concurrency("cores*1")
                .handler("ocr", (data, context) -> Map.of("text", "page " + data.path("page")))
                .handler("assemble", (data, context) -> {
                    String file = data.path("file").asText();
                    JobFilter parts = JobFilter.all().type("ocr").correlationId(file);
                    return queue.all(parts)
                            .map(part ->
                                    part.result().orElseThrow().path("text").asText())
                            .sorted()
                            .toList();
                })
                .start();
    }

    static void scan(JobQueue queue, String id, byte[] page) {
        ObjectNode job = JsonNodeFactory.instance.objectNode();
        job.put("_id", new JobId("scan", id).docId());
        job.withObject("/_attachments/page.png")
                .put("content_type", "image/png")
                .put("data", page);
        queue.database().put(job);
    }

    static Worker scanner(JobQueue queue) {
        return queue.worker()
                .handler("scan", (data, context) -> {
                    String job = context.id().docId();
                    byte[] page = queue.database().attachment(job, "page.png").orElseThrow();
                    return Map.of("bytes", page.length);
                })
                .start();
    }

    @Test
    void a_mail_is_asked_for_once_and_its_server_decides_what_becomes_of_it(TestDatabase database) throws Exception {
        Map<String, Integer> replies = Map.of("a", 250, "b", 550, "c", 451);
        try (JobQueue queue = TestQueue.open(database);
                Worker worker = postOffice(queue, (mail, id) -> replies.get(mail.to()))) {
            assertThat(orderShipped(queue, "1", "a")).isTrue();
            assertThat(orderShipped(queue, "1", "a")).isFalse();
            orderShipped(queue, "2", "b");
            orderShipped(queue, "3", "c");

            assertThat(ended(queue, "mail", "shipped-1").status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(orderShipped(queue, "1", "a")).isFalse();
            assertThat(ended(queue, "mail", "shipped-2").attempt()).isEqualTo(1);
            TestQueue.until(() ->
                    queue.get("mail", "shipped-3").orElseThrow().scheduledTime().isAfter(Instant.now()));
            assertThat(queue.get("mail", "shipped-3").orElseThrow().errors()).isEmpty();
        }
    }

    @Test
    void a_document_is_put_together_when_all_its_pages_are_read(TestDatabase database) throws Exception {
        try (JobQueue queue = TestQueue.open(database);
                Worker worker = reader(queue)) {
            read(queue, "report.pdf", 3);

            assertThat(ended(queue, "assemble", "report.pdf").result().orElseThrow())
                    .hasToString("[\"page 0\",\"page 1\",\"page 2\"]");
        }
    }

    @Test
    void the_attachment_of_a_job_is_there_for_its_handler_and_is_written_once(TestDatabase database) throws Exception {
        try (JobQueue queue = TestQueue.open(database);
                Worker worker = scanner(queue)) {
            scan(queue, "7", new byte[100_000]);

            assertThat(ended(queue, "scan", "7").result().orElseThrow()).hasToString("{\"bytes\":100000}");
            JsonNode attached = queue.database()
                    .get("job:scan:7")
                    .orElseThrow()
                    .path("_attachments")
                    .path("page.png");
            assertThat(attached.path("length").asInt()).isEqualTo(100_000);
            assertThat(attached.path("revpos").asInt())
                    .as("the revision that wrote it")
                    .isEqualTo(1);
        }
    }

    @Test
    void a_document_that_a_phone_wrote_is_a_job(TestDatabase database) throws Exception {
        ObjectNode written =
                (ObjectNode) new JsonMapper().readTree(blocks("json").get(0));
        try (JobQueue queue = TestQueue.open(database);
                Worker worker = queue.worker()
                        .handler("photo", (data, context) -> data.path("file").asText())
                        .start()) {
            queue.database().put(written);

            assertThat(ended(queue, "photo", "phone7-000123").result().orElseThrow())
                    .hasToString("\"IMG_0123.jpg\"");
        }
    }

    @Test
    void the_code_in_the_recipes_is_the_code_that_is_tested_here() throws IOException {
        String source = Files.readString(Path.of("src/test/java/io/couchjobs/RecipesTest.java"))
                .replaceAll("\\s", "");
        assertThat(blocks("java")).hasSize(3).allSatisfy(block -> assertThat(source)
                .contains(block.replaceAll("\\s", "")));
    }

    private static Job ended(JobQueue queue, String type, String id) throws InterruptedException {
        return queue.awaitFinished(type, id, PATIENCE).orElseThrow();
    }

    private static List<String> blocks(String language) throws IOException {
        return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("../docs/recipes.md")))
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
    }
}
