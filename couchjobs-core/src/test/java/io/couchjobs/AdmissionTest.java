package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import io.couchjobs.worker.WorkerBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@ServerTest
class AdmissionTest {
    private JobQueue queue;
    private boolean isSlow;
    private boolean isEmbedded;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
        isSlow = database.serverName().contains("PouchDB");
        isEmbedded = database.serverName().contains("embedded");
    }

    @AfterEach
    void close() {
        queue.close();
    }

    @Test
    void the_one_job_that_is_let_in_is_found_behind_thousands_that_are_not() throws Exception {
        int many = isSlow ? 260 : isEmbedded ? 3_000 : 10_000;
        AtomicInteger asked = new AtomicInteger();
        for (int from = 0; from < many; from += 1000) {
            queue.addAll(IntStream.range(from, Math.min(many, from + 1000))
                    .mapToObj(i -> request("no" + i, "batch"))
                    .toList());
        }
        queue.add(request("yes", "urgent"));
        try (Worker worker = worker().filter(job -> {
                    asked.incrementAndGet();
                    return job.jobClass().equals(java.util.Optional.of("urgent"));
                })
                .start()) {
            assertThat(finished("yes").status()).isEqualTo(JobStatus.SUCCESS);
            queue.add(request("another", "urgent"));
            assertThat(finished("another").status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(worker.stats().skipped()).isBetween((long) many, 2L * many);
            assertThat(asked.get()).as("each was asked about once or twice").isLessThan(2 * many + 10);
            assertThat(worker.stats().claimed()).isEqualTo(2);
            worker.filter(job -> job.id().id().equals("no" + (many - 1)));
            assertThat(finished("no" + (many - 1)).status())
                    .as("what was refused is looked at again")
                    .isEqualTo(JobStatus.SUCCESS);
        }
    }

    @Test
    void the_classes_of_a_type_reach_a_running_worker() throws Exception {
        queue.types().change("email", settings -> settings.withClasses(Set.of("urgent")));
        try (Worker worker = worker().start()) {
            queue.add(request("batch", "batch"));
            queue.add(JobRequest.builder("email").id("none").data(Map.of()).build());
            queue.add(request("urgent", "urgent"));
            finished("urgent");
            assertThat(status("batch")).isEqualTo(JobStatus.WAITING);
            queue.types().change("email", settings -> settings.withClasses(Set.of("", "batch")));
            finished("none");
            finished("batch");
            queue.types().change("email", settings -> settings.withClasses(Set.of()));
            queue.add(request("later", "batch"));
            TestQueue.until(() -> worker.stats().skipped() >= 3);
            queue.types().change("email", settings -> settings.withAllClasses());
            finished("later");
        }
    }

    @Test
    @NeedsOneCopy("the copy of the index that is asked may lag behind for a moment")
    void the_classes_of_a_type_hold_for_whoever_accepts_its_jobs() throws Exception {
        queue.types().change("email", settings -> settings.withClasses(Set.of("urgent")));
        queue.add(request("batch", "batch"));
        assertThat(accept()).isEmpty();
        queue.add(request("urgent", "urgent"));
        assertThat(accept()).containsExactly("urgent");
        queue.database().put(queue.types().settings("email").toDocument().put("classes", "no list"));
        TestQueue.until(() -> queue.types().settings("email").classes().isEmpty());
        TestQueue.until(() -> accept().contains("batch"));
    }

    @Test
    void filter_and_classes_of_a_worker_change_while_it_runs() throws Exception {
        try (Worker worker =
                worker().classes("a", "b").filter(job -> job.tags().isEmpty()).start()) {
            queue.add(request("a", "a"));
            finished("a");
            queue.add(JobRequest.builder("email")
                    .id("tagged")
                    .jobClass("b")
                    .tag("x")
                    .data(Map.of())
                    .build());
            queue.add(request("c", "c"));
            TestQueue.until(() -> worker.stats().skipped() >= 2);
            worker.filter(null);
            finished("tagged");
            assertThat(status("c")).isEqualTo(JobStatus.WAITING);
            worker.classes(Set.of("c"));
            finished("c");
            worker.classes(null);
            queue.add(request("d", "d"));
            finished("d");
        }
    }

    @Test
    void a_filter_that_fails_for_the_simplest_job_fails_the_start() {
        assertThatThrownBy(() ->
                        worker().filter(job -> job.data().get("to").isTextual()).start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the filter fails for a job of type email")
                .hasMessageContaining("NullPointerException");
        try (Worker worker = worker().start()) {
            assertThatThrownBy(() -> worker.filter(
                            job -> job.lock().orElseThrow().token().isEmpty()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("NoSuchElementException");
        }
    }

    @Test
    void a_filter_that_fails_later_has_said_no_and_is_counted() throws Exception {
        try (Worker worker = worker().filter(job -> {
                    if (job.tags().contains("bad")) {
                        throw new IllegalStateException("cannot tell");
                    }
                    return true;
                })
                .start()) {
            queue.add(JobRequest.builder("email")
                    .id("bad")
                    .tag("bad")
                    .data(Map.of())
                    .build());
            TestQueue.until(() -> worker.stats().filterFailures() == 1);
            queue.add(request("good", "x"));
            finished("good");
            assertThat(status("bad")).isEqualTo(JobStatus.WAITING);
            assertThat(worker.stats().filterFailures()).isEqualTo(1);
            worker.filter(job -> true);
            finished("bad");
        }
    }

    @Test
    void a_worker_that_stops_when_there_is_nothing_leaves_what_it_does_not_let_in() throws Exception {
        queue.add(request("batch", "batch"));
        queue.add(request("urgent", "urgent"));
        try (Worker worker = worker().classes("urgent").untilEmpty().start()) {
            worker.awaitStopped();
            assertThat(worker.stats().claimed()).isEqualTo(1);
        }
        assertThat(status("batch")).isEqualTo(JobStatus.WAITING);
    }

    @Test
    void fairness_holds_among_the_jobs_that_are_let_in() throws Exception {
        for (String jobClass : List.of("batch", "urgent")) {
            queue.addAll(IntStream.range(0, 110)
                    .mapToObj(i -> JobRequest.builder("email")
                            .id(jobClass + i)
                            .group("flood")
                            .jobClass(jobClass)
                            .data(Map.of())
                            .build())
                    .toList());
        }
        queue.add(JobRequest.builder("email")
                .id("small")
                .group("small")
                .jobClass("urgent")
                .data(Map.of())
                .build());
        List<String> order = new java.util.concurrent.CopyOnWriteArrayList<>();
        try (Worker worker = queue.worker()
                .concurrency(1)
                .fair(2, 1)
                .classes("urgent")
                .maxJobs(3)
                .handler("email", (data, context) -> {
                    order.add(context.id().id());
                    return null;
                })
                .start()) {
            worker.awaitStopped();
        }
        assertThat(order.subList(0, 2)).as("a turn of each group").contains("small");
        assertThat(order).hasSize(3).allMatch(id -> !id.startsWith("batch"));
    }

    @Test
    void settings_say_which_classes_and_what_is_no_list_of_names_counts_as_not_set() {
        queue.database().put(Jobs.json("{'_id':'type:sms','classes':['a',7]}"));
        assertThat(queue.types().settings("sms").classes()).isEmpty();
        queue.types().change("sms", settings -> settings.withClasses(List.of("b", "a", "b")));
        assertThat(queue.types().settings("sms").classes()).contains(Set.of("a", "b"));
        assertThat(queue.types()
                        .change("sms", settings -> settings.withAllClasses())
                        .classes())
                .isEmpty();
    }

    private WorkerBuilder worker() {
        return queue.worker().concurrency(2).handler("email", (data, context) -> null);
    }

    private Job finished(String id) throws InterruptedException {
        return TestQueue.finished(queue, "email", id);
    }

    private JobStatus status(String id) {
        return queue.get("email", id).orElseThrow().status();
    }

    private List<String> accept() throws InterruptedException {
        return queue.accept(AcceptOptions.of("email").max(9).timeout(Duration.ZERO)).stream()
                .map(claim -> claim.id().id())
                .toList();
    }

    private static JobRequest request(String id, String jobClass) {
        return JobRequest.builder("email")
                .id(id)
                .jobClass(jobClass)
                .data(Map.of())
                .build();
    }
}
