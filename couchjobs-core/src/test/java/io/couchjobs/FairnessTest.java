package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.due.FairModel;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Listening;
import io.couchjobs.job.Strategy;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import io.couchjobs.worker.WorkerBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@ServerTest
class FairnessTest {
    private static final List<String> GROUPS =
            List.of("", "_x", "a", "a-1", "B", "b", "b\u200b", "\u00e4", "\ud83d\ude00");
    private static final AcceptOptions FAIR =
            AcceptOptions.of("email").strategy(Strategy.fair(2, 1)).timeout(Duration.ZERO);

    private JobQueue queue;
    private boolean isSlow;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
        isSlow = database.serverName().contains("PouchDB");
    }

    @AfterEach
    void close() {
        queue.close();
    }

    @Test
    void ten_jobs_are_not_behind_a_flood_of_another_group() throws Exception {
        add(isSlow ? 260 : 10_000, "flood");
        add(10, "small");
        List<Job> first = new ArrayList<>(take(7));
        first.addAll(take(13));
        assertThat(first).filteredOn(job -> job.group().equals("small")).hasSize(10);
        assertThat(groups(first).subList(0, 2)).containsExactlyInAnyOrder("flood", "small");
        assertThat(groups(first).subList(2, 4)).isEqualTo(groups(first).subList(0, 2));
        addAndHear(3, "later");
        List<String> next = groups(take(6));
        int begin = next.indexOf("later");
        assertThat(begin).as("the first one in %s", next).isIn(0, 1);
        assertThat(next.subList(begin, begin + 5)).containsExactly("later", "flood", "later", "flood", "later");
    }

    /** The feed may be a moment behind: it tells who takes jobs before it tells a later listener. */
    private void addAndHear(int jobs, String group) throws Exception {
        CountDownLatch heard = new CountDownLatch(jobs);
        try (Listening listening = queue.operations()
                .listen(change ->
                        change.job().filter(job -> job.group().equals(group)).ifPresent(job -> heard.countDown()))) {
            add(jobs, group);
            assertThat(heard.await(TestQueue.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as("%s told all", listening)
                    .isTrue();
        }
    }

    @Test
    @NeedsOneCopy("the copy of the index that is asked may lag behind for a moment")
    void one_worker_takes_jobs_in_the_order_of_the_rules() throws Exception {
        long seed = Long.getLong("couchjobs.seed", System.nanoTime());
        Random random = new Random(seed);
        int many = 260;
        queue.database()
                .bulkDocs(IntStream.range(0, many)
                        .mapToObj(number -> randomJob(number, random))
                        .toList());
        List<Job> left = new ArrayList<>(queue.all("email").toList());
        FairModel model = new FairModel(2, 1);
        List<List<Object>> expected = new ArrayList<>();
        List<List<Object>> taken = new ArrayList<>();
        while (taken.size() < many) {
            Map<String, Job> before = new LinkedHashMap<>();
            left.forEach(job -> before.put(job.id().id(), job));
            List<Job> now = take(1 + random.nextInt(40));
            if (taken.isEmpty()) {
                model.beginAt(now.get(0).group());
            }
            for (Job job : now) {
                Job next = model.next(left, Instant.now()).orElseThrow();
                Job was = before.get(job.id().id());
                expected.add(FairModel.place(next));
                taken.add(FairModel.place(was));
                left.remove(was);
                model.claimed(was);
            }
            assertThat(taken).as("seed %d, -Dcouchjobs.seed repeats it", seed).containsExactlyElementsOf(expected);
        }
    }

    @Test
    void a_worker_that_is_started_again_under_its_id_goes_on_after_the_group_it_last_took_from() throws Exception {
        add(3, "a");
        add(1, "b");
        assertThat(List.of(runOne("joex1"), runOne("joex1"), runOne("joex1"))).containsExactly("a", "b", "a");
    }

    @Test
    void a_worker_that_was_killed_goes_on_after_the_group_that_its_last_sign_of_life_tells() throws Exception {
        queue.types().setTimeout("email", Duration.ofSeconds(10));
        add(2, "a");
        add(1, "b");
        CountDownLatch killed = new CountDownLatch(1);
        ObjectNode left = Jobs.json("{}");
        try (Worker worker = fair("joex1")
                .handler("email", (data, context) -> {
                    killed.await();
                    return null;
                })
                .start()) {
            TestQueue.until(() -> registration(worker).has("lastGroup"));
            left.setAll(registration(worker));
            killed.countDown();
            worker.awaitStopped();
        }
        queue.database().put(left.remove(List.of("_rev")));
        assertThat(left.path("lastGroup").asText()).isEqualTo("a");
        assertThat(runOne("joex1")).isEqualTo("b");
    }

    @Test
    void a_worker_without_an_id_of_its_own_begins_at_any_group() throws Exception {
        queue.types().setTimeout("email", Duration.ofSeconds(10));
        Set<String> first = new HashSet<>();
        add(isSlow ? 201 : 1_000, "flood");
        TestQueue.until(() -> {
            add(1, "small");
            first.add(runOne(null));
            return first.size() == 2;
        });
    }

    private String runOne(@Nullable String id) throws InterruptedException {
        Queue<String> groups = new ConcurrentLinkedQueue<>();
        try (Worker worker = fair(id).handler("email", (data, context) -> {
                    groups.add(context.job().group());
                    return null;
                })
                .start()) {
            worker.awaitStopped();
        }
        return groups.remove();
    }

    private WorkerBuilder fair(@Nullable String id) {
        WorkerBuilder worker = queue.worker().fair(2, 1).concurrency(1).maxJobs(1);
        return id == null ? worker : worker.id(id);
    }

    private ObjectNode registration(Worker worker) {
        return queue.database().get("worker:" + worker.id()).orElseThrow();
    }

    @Test
    void several_workers_run_each_job_once_and_seldom_meet() throws Exception {
        int groups = isSlow ? 40 : 150;
        int all = 2 * groups;
        queue.types().change("email", settings -> settings.withPaused(true));
        Queue<String> runs = new ConcurrentLinkedQueue<>();
        List<Worker> workers = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                workers.add(queue.worker()
                        .fair(2, 1)
                        .concurrency(1)
                        .handler("email", (data, context) -> {
                            runs.add(context.id().id());
                            return null;
                        })
                        .start());
            }
            add(groups, "flood");
            queue.addAll(IntStream.range(0, groups)
                    .mapToObj(i -> request("only" + i, "g" + i, 50).build())
                    .toList());
            queue.types().change("email", settings -> settings.withPaused(false));
            TestQueue.until(() -> ended(workers) == all);
        } finally {
            workers.forEach(Worker::close);
        }
        assertThat(runs).hasSize(all).doesNotHaveDuplicates();
        long lost =
                workers.stream().mapToLong(worker -> worker.stats().conflicts()).sum();
        assertThat(lost).as("claims lost to other workers, of %d", all).isLessThan(groups);
    }

    private static long ended(List<Worker> workers) {
        return workers.stream().mapToLong(worker -> worker.stats().succeeded()).sum();
    }

    @Test
    void the_jobs_of_all_types_take_turns_by_group() throws Exception {
        addTyped("email", "a", 3);
        addTyped("sms", "b", 3);
        addTyped("sms", "a", 1);
        List<Job> taken = jobs(queue.accept(AcceptOptions.of("email", "sms")
                .strategy(Strategy.fair(1, 1))
                .max(7)
                .timeout(Duration.ZERO)));
        assertThat(groups(taken).subList(0, 2)).containsExactlyInAnyOrder("a", "b");
        assertThat(groups(taken).subList(2, 6))
                .containsExactlyElementsOf(groups(taken).subList(0, 4));
        assertThat(groups(taken).get(6)).isEqualTo("a");
    }

    @Test
    void a_worker_that_waits_for_its_turn_is_woken() throws Exception {
        try (Worker worker = queue.worker()
                .fair(2, 1)
                .handler("email", (data, context) -> null)
                .start()) {
            queue.add(request("now", "a", 50).build());
            assertThat(TestQueue.finished(queue, "email", "now").status()).isEqualTo(JobStatus.SUCCESS);
            queue.add(request("soon", "b", 50)
                    .scheduledTime(Instant.now().plusMillis(300))
                    .build());
            assertThat(TestQueue.finished(queue, "email", "soon").status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(worker.stats().skipped()).isZero();
        }
    }

    @Test
    void random_takes_any_of_the_due_jobs_once() throws Exception {
        add(300, "g");
        AcceptOptions random =
                AcceptOptions.of("email").strategy(Strategy.RANDOM).max(100).timeout(Duration.ZERO);
        List<String> taken = new ArrayList<>();
        TestQueue.until(() -> {
            queue.accept(random).forEach(claim -> taken.add(claim.id().id()));
            return taken.size() >= 300;
        });
        assertThat(taken)
                .hasSize(300)
                .doesNotHaveDuplicates()
                .isNotEqualTo(taken.stream().sorted().toList());
        assertThat(new HashSet<>(taken.subList(0, 100)))
                .as("not the first hundred")
                .isNotEqualTo(Set.copyOf(taken.stream().sorted().limit(100).toList()));
        assertThatThrownBy(() -> random.noSchedule(true)).hasMessageContaining("no strategy");
    }

    @Test
    void only_who_asks_for_fairness_pays_for_its_index() throws Exception {
        add(2, "a");
        assertThat(take(1)).hasSize(1);
        assertThat(queue.accept(AcceptOptions.of("email").timeout(Duration.ZERO)))
                .hasSize(1);
        assertThat(new DesignDocuments(queue.database()).installed()).noneMatch(name -> name.startsWith("fair"));
    }

    private List<Job> take(int max) throws InterruptedException {
        return jobs(queue.accept(FAIR.max(max)));
    }

    private static List<Job> jobs(List<ClaimedJob> claims) {
        return claims.stream().map(ClaimedJob::job).toList();
    }

    private static List<String> groups(List<Job> jobs) {
        return jobs.stream().map(Job::group).toList();
    }

    private void add(int jobs, String group) {
        for (int from = 0; from < jobs; from += 1000) {
            queue.addAll(IntStream.range(from, Math.min(jobs, from + 1000))
                    .mapToObj(i ->
                            request(group + String.format("%05d", i), group, 50).build())
                    .toList());
        }
    }

    private void addTyped(String type, String group, int jobs) {
        for (int i = 0; i < jobs; i++) {
            queue.add(JobRequest.builder(type).group(group).data(Map.of()).build());
        }
    }

    private static JobRequest.Builder request(String id, String group, int priority) {
        return JobRequest.builder("email")
                .id(id)
                .group(group)
                .priority(priority)
                .data(Map.of());
    }

    /** Some without fields, as another client may write them. */
    private static ObjectNode randomJob(int number, Random random) {
        ObjectNode job = Jobs.json("{'_id':'job:email:" + number + "','data':{}}");
        if (random.nextInt(4) > 0) {
            job.put("group", GROUPS.get(random.nextInt(GROUPS.size())));
        }
        if (random.nextInt(4) > 0) {
            job.put("priority", List.of(0, 25, 50, 51, 75, 99).get(random.nextInt(6)));
        }
        if (random.nextInt(3) > 0) {
            job.put("scheduledTime", Jobs.past(random.nextInt(100_000)).toEpochMilli());
        }
        if (random.nextInt(8) == 0) {
            job.put("status", "stuck");
            job.put("attempt", 1);
        }
        return job;
    }
}
