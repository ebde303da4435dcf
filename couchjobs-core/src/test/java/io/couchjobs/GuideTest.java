package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.After;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.JobType;
import io.couchjobs.job.Logs;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.RetryPolicy;
import io.couchjobs.worker.ChunkHandler;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.JobHandler;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.SnoozeException;
import io.couchjobs.worker.Worker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;

/** The examples of the guides on handlers and on jobs that wait for others. */
@ServerTest
class GuideTest {
    private static boolean bankIsClosed() {
        return false;
    }

    // The example of the guide on handlers.

    record Invoice(String customer, int cents) {}

    static final JobType<Invoice> INVOICE = JobType.of("invoice", Invoice.class);

    static final class Billing implements JobHandler<Invoice> {
        @Override
        public Object handle(Invoice invoice, JobContext context) throws Exception {
            if (invoice.cents() <= 0) {
                throw new PermanentJobException("nothing to pay: " + invoice.cents());
            }
            if (bankIsClosed()) {
                throw new SnoozeException(Duration.ofHours(1));
            }
            context.progress(50, "sending");
            context.log("an invoice of " + invoice.cents() + " cents to " + invoice.customer());
            return Map.of("receipt", context.id().id() + "-" + context.fence());
        }

        @Override
        public void exhausted(Invoice invoice, JobContext context, Throwable problem) {
            System.err.println(invoice.customer() + " was not billed: " + problem.getMessage());
        }
    }

    static Worker bill(JobQueue queue) {
        return queue.worker()
                .concurrency("cores*4")
                .handlerFactory(INVOICE, Billing::new)
                .timeLimit(Duration.ofMinutes(2))
                .interceptor((context, run) -> {
                    MDC.put("job", context.id().toString());
                    try {
                        return run.call();
                    } finally {
                        MDC.remove("job");
                    }
                })
                .closeOnExit(Duration.ofSeconds(30))
                .start();
    }

    static void retries(JobQueue queue) {
        RetryPolicy policy = new RetryPolicy(3, Duration.ofSeconds(10), Duration.ofHours(1));
        queue.types().change("invoice", settings -> settings.withRetryPolicy(policy));
    }

    // The example of the guide on jobs that wait for others.

    record Page(String book, int number) {}

    static List<AddResult> print(JobQueue queue, String book, int pages) {
        List<JobRequest> jobs = IntStream.rangeClosed(1, pages)
                .mapToObj(number -> JobRequest.builder("page")
                        .id(book + "-" + number)
                        .data(new Page(book, number))
                        .build())
                .toList();
        JobRequest binding = JobRequest.builder("binding")
                .id(book)
                .data(Map.of("book", book, "pages", pages))
                .onFailure(After.OnFailure.CANCEL)
                .build();
        return queue.addBatch(jobs, binding);
    }

    // The examples of the guide on claiming by hand.

    static final JobType<Page> PAGE = JobType.of("page", Page.class);

    static int index(JobQueue queue) throws InterruptedException {
        int indexed = 0;
        AcceptOptions options = AcceptOptions.of(PAGE).max(50).timeout(Duration.ofSeconds(1));
        for (List<ClaimedJob> claims = queue.accept(options); !claims.isEmpty(); claims = queue.accept(options)) {
            for (ClaimedJob claim : claims) {
                try {
                    claim.finish(put(claim.data(PAGE)));
                    indexed++;
                } catch (HaltException lost) {
                    System.err.println(lost.getMessage());
                } catch (RuntimeException problem) {
                    claim.fail(JobError.Kind.FAILED, problem.getMessage(), null, false);
                }
            }
        }
        return indexed;
    }

    static boolean repair(JobQueue queue, JobId id) {
        Optional<ClaimedJob> claim = queue.claim(id);
        claim.ifPresent(job -> job.finish("repaired by hand"));
        return claim.isPresent();
    }

    // End of the examples.

    private static String put(Page page) {
        if (page.number() == 13) {
            throw new IllegalArgumentException("there is no page 13");
        }
        return page.book() + page.number();
    }

    @Test
    void pages_are_indexed_by_a_program_that_claims_them(TestDatabase database) throws Exception {
        try (JobQueue queue = TestQueue.open(database)) {
            queue.addAll(
                    PAGE,
                    IntStream.range(0, 20).mapToObj(n -> new Page("novel", n)).toList());
            queue.add(JobRequest.builder("page")
                    .id("late")
                    .data(new Page("novel", 99))
                    .scheduledTime(Instant.now().plusSeconds(3600))
                    .build());

            assertThat(repair(queue, new JobId("page", "late"))).isTrue();
            assertThat(repair(queue, new JobId("page", "late"))).isFalse();
            AtomicInteger indexed = new AtomicInteger();
            TestQueue.until(() -> indexed.addAndGet(index(queue)) == 19);
            assertThat(queue.all(JobFilter.all().status(JobStatus.STUCK))).hasSize(1);
        }
    }

    @Test
    void a_handler_bills_what_can_be_billed(TestDatabase database) throws Exception {
        try (JobQueue queue = TestQueue.open(database);
                Worker worker = bill(queue)) {
            queue.add(JobRequest.builder("invoice")
                    .id("42")
                    .data(new Invoice("ada", 100))
                    .build());
            queue.add(JobRequest.builder("invoice")
                    .id("43")
                    .data(new Invoice("bob", 0))
                    .build());
            Job good = TestQueue.finished(queue, "invoice", "42");
            assertThat(good.result().orElseThrow().path("receipt").asText()).isEqualTo("42-1");
            assertThat(queue.logs()
                            .read("invoice", "42")
                            .flatMap(chunk -> chunk.lines().stream())
                            .map(Logs.Chunk.Line::text))
                    .containsExactly("an invoice of 100 cents to ada");
            Job bad = TestQueue.finished(queue, "invoice", "43");
            assertThat(bad.status()).isEqualTo(JobStatus.FAILED);
            assertThat(bad.errors().get(0).message()).isEqualTo("nothing to pay: 0");
            assertThat(worker.stats().retried()).isZero();
        }
    }

    @Test
    void a_program_sets_the_retries_of_a_type(TestDatabase database) {
        try (JobQueue queue = TestQueue.open(database)) {
            retries(queue);
            assertThat(queue.types().settings("invoice").retryPolicy())
                    .isEqualTo(new RetryPolicy(3, Duration.ofSeconds(10), Duration.ofHours(1)));
        }
    }

    @Test
    void a_book_is_bound_when_all_its_pages_are_printed(TestDatabase database) throws Exception {
        Set<String> printed = ConcurrentHashMap.newKeySet();
        try (JobQueue queue = TestQueue.open(database);
                Worker worker = queue.worker()
                        .concurrency(4)
                        .handler("page", Page.class, (page, context) -> printed.add(page.book() + page.number()))
                        .handler("binding", (data, context) -> printed.size())
                        .start()) {
            assertThat(print(queue, "novel", 20)).hasSize(21);
            Job bound = TestQueue.finished(queue, "binding", "novel");
            assertThat(bound.result().orElseThrow().asInt()).isEqualTo(20);
            assertThat(worker.stats().failed()).isZero();
        }
    }

    // The example of the guide on arrays.

    record Mail(String to) {}

    static final JobType<Mail> MAIL = JobType.of("mail", Mail.class);

    static void campaign(JobQueue queue, List<Mail> mails) {
        queue.addArray(MAIL, "campaign-7", mails);
    }

    static Worker send(JobQueue queue) {
        return queue.worker()
                .handler(MAIL, (mail, context) -> "sent to " + mail.to())
                .start();
    }

    static boolean isSent(JobQueue queue) {
        return queue.arrays().get(new JobId("mail", "campaign-7")).orElseThrow().isFinished();
    }

    static void report(JobQueue queue, JobRequest report) {
        queue.add(report.after(queue.arrays().jobs(new JobId("mail", "campaign-7"))));
    }

    interface MailApi {
        List<String> send(List<Mail> mails);
    }

    static Worker sendMany(JobQueue queue, MailApi api) {
        return queue.worker()
                .handler(MAIL, ChunkHandler.upTo(100, (mails, context) -> {
                    List<Mail> batch =
                            mails.stream().map(ChunkHandler.Item::data).toList();
                    List<String> answers = api.send(batch);
                    for (int i = 0; i < mails.size(); i++) {
                        if (!answers.get(i).equals("ok")) {
                            mails.get(i).fail(new IllegalStateException(answers.get(i)));
                        }
                    }
                }))
                .start();
    }

    @Test
    void the_example_of_the_guide_on_arrays_runs(TestDatabase database) throws Exception {
        try (JobQueue queue = TestQueue.open(database)) {
            campaign(queue, List.of(new Mail("ada"), new Mail("bob")));
            assertThat(isSent(queue)).isFalse();
            report(
                    queue,
                    JobRequest.builder("mail")
                            .id("report")
                            .data(new Mail("boss"))
                            .build());
            assertThat(queue.get("mail", "report").orElseThrow().after()).isPresent();
            try (Worker worker = send(queue)) {
                TestQueue.until(() -> isSent(queue));
                assertThat(worker.stats().failed()).isZero();
            }
        }
    }

    @Test
    void the_example_of_a_handler_of_many_items_runs(TestDatabase database) throws Exception {
        JobId array = new JobId("mail", "campaign-7");
        try (JobQueue queue = TestQueue.open(database)) {
            campaign(queue, List.of(new Mail("ada"), new Mail("nobody")));
            try (Worker worker = sendMany(queue, mails -> mails.stream()
                    .map(mail -> mail.to().equals("nobody") ? "no such address" : "ok")
                    .toList())) {
                TestQueue.until(() -> queue.arrays().get(array).orElseThrow().succeeded() == 1);
                TestQueue.until(() -> queue.arrays().items(array).anyMatch(item -> String.valueOf(item.error())
                        .contains("no such address")));
                assertThat(worker.stats().claimed()).isPositive();
            }
        }
    }

    // The example of the guide on the embedded server.

    static Job onAServerOfItsOwn() {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().database("jobs").start();
                JobQueue queue = JobQueue.builder(couch.url().resolve("jobs")).open()) {
            JobId id = queue.add("email", Map.of("to", "ada@example.org")).id();
            return queue.get(id).orElseThrow();
        }
    }

    @Test
    void a_program_starts_a_server_of_its_own() {
        assertThat(onAServerOfItsOwn().status()).isEqualTo(JobStatus.WAITING);
    }

    @ParameterizedTest
    @ValueSource(strings = {"handlers", "batches", "claiming", "arrays", "embedded"})
    void the_guides_quote_the_examples_that_run(String guide) throws Exception {
        Matcher block = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("../docs/" + guide + ".md")));
        String source = Files.readString(Path.of("src/test/java/io/couchjobs/GuideTest.java"));
        assertThat(block.results()).isNotEmpty().allSatisfy(example -> assertThat(source.replaceAll("\\s", ""))
                .contains(example.group(1).replaceAll("\\s", "")));
    }
}
