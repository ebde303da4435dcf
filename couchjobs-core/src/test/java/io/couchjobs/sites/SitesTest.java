package io.couchjobs.sites;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.JobQueue;
import io.couchjobs.JobQueueBuilder;
import io.couchjobs.ServerTest;
import io.couchjobs.TestQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Jobs;
import io.couchjobs.job.Site;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.store.AcceptOptions;
import io.couchjobs.store.ClaimedJob;
import io.couchjobs.store.JobFilter;
import io.couchjobs.store.JobIndex;
import io.couchjobs.store.Limit;
import io.couchjobs.store.Rate;
import io.couchjobs.store.Retention;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two databases that replicate to each other, with workers on both. */
@ServerTest
class SitesTest {
    private TestDatabase munich;
    private TestDatabase oslo;
    private final List<JobQueue> open = new ArrayList<>();

    @BeforeEach
    void twoDatabases(TestDatabase database) {
        munich = database;
        oslo = new TestDatabase(database.server(), database.name() + "-oslo");
    }

    @AfterEach
    void close() {
        open.forEach(JobQueue::close);
        try (JobQueue last = TestQueue.open(oslo)) {
            last.database().delete();
        }
    }

    @Test
    void each_job_runs_at_its_site_only() throws Exception {
        JobQueue atMunich = named(munich, "munich");
        JobQueue atOslo = named(oslo, "oslo");
        for (int i = 0; i < 5; i++) {
            atMunich.add(email("m" + i).build());
            atMunich.add(email("sent-to-oslo" + i).site("oslo").build());
            atOslo.add(email("o" + i).build());
        }
        replicate();
        ConcurrentLinkedQueue<String> runs = new ConcurrentLinkedQueue<>();
        try (Worker here = worker(atMunich, runs);
                Worker there = worker(atOslo, runs)) {
            assertThat(here.id()).as("both may be configured with the same id").isEqualTo("w1@munich");
            assertThat(there.id()).isEqualTo("w1@oslo");
            TestQueue.until(() -> {
                replicate();
                return finished(atMunich) == 15 && finished(atOslo) == 15;
            });
        }
        assertThat(runs)
                .containsExactlyInAnyOrderElementsOf(IntStream.range(0, 5)
                        .boxed()
                        .flatMap(i ->
                                List.of("m" + i + " at munich", "sent-to-oslo" + i + " at oslo", "o" + i + " at oslo")
                                        .stream())
                        .toList());
        assertThat(atMunich.list(JobFilter.all().site("oslo"), 100)).hasSize(10);
        assertThat(atMunich.list(JobFilter.all().site("oslo").status(JobStatus.WAITING), 100))
                .isEmpty();
        assertThat(atMunich.all(JobFilter.all().site("munich"))).hasSize(5);
        assertThat(atMunich.get("email", "o1")
                        .orElseThrow()
                        .result()
                        .orElseThrow()
                        .asText())
                .isEqualTo("oslo");
    }

    @Test
    void a_database_without_a_name_takes_the_jobs_without_a_site_and_no_others() throws Exception {
        JobQueue central = TestQueue.open(munich);
        open.add(central);
        central.add(email("sited").site("oslo").build());
        central.database().put(Jobs.json("{'_id':'job:email:by-hand','data':{}}"));
        assertThat(accepted(central)).containsExactly("by-hand");
        assertThat(accepted(central)).isEmpty();
        assertThat(central.get("email", "by-hand").orElseThrow().site()).isEmpty();
    }

    @Test
    void a_database_with_a_name_takes_jobs_without_a_site_only_when_it_is_home() throws Exception {
        JobQueue named = named(munich, "munich");
        named.database().put(Jobs.json("{'_id':'job:email:by-hand','data':{}}"));
        named.add(email("own").build());
        assertThat(accepted(named)).containsExactly("own");
        assertThat(accepted(named)).isEmpty();
        assertThat(named.pendingCount("email", Instant.now(), 10)).isZero();

        named.nameSite(new Site("munich", true));
        JobQueue home = TestQueue.open(munich);
        open.add(home);
        home.add(email("own2").build());
        home.add(email("foreign").site("oslo").build());
        assertThat(home.pendingCount("email", Instant.now(), 10)).isEqualTo(2);
        assertThat(home.pendingCount("email", Instant.now(), 1)).isEqualTo(1);
        assertThat(accepted(home)).containsExactlyInAnyOrder("by-hand", "own2");
        assertThat(accepted(home)).isEmpty();
        assertThat(home.counts().get("email").byStatus().get(JobStatus.WAITING))
                .as("others are seen")
                .isEqualTo(1);
    }

    @Test
    void the_name_of_a_database_does_not_leave_it() throws Exception {
        JobQueue here = named(munich, "munich");
        here.add(email("1").build());
        JobQueue there = TestQueue.open(oslo);
        open.add(there);
        new Replication(munich, munich.name(), oslo.name()).runAsTheGuideSays();
        assertThat(there.get("email", "1").orElseThrow().site()).contains("munich");
        try (JobQueue again = TestQueue.open(oslo)) {
            assertThat(again.site()).isEqualTo(Site.UNNAMED);
        }
        here.nameSite(Site.UNNAMED);
        try (JobQueue again = TestQueue.open(munich)) {
            assertThat(again.site()).isEqualTo(Site.UNNAMED);
        }
    }

    @Test
    void due_jobs_of_another_site_in_front_are_not_read_through() throws Exception {
        JobQueue here = named(munich, "munich");
        here.addAll(IntStream.range(0, 300)
                .mapToObj(i -> email("other" + i)
                        .site("oslo")
                        .scheduledTime(Instant.ofEpochMilli(1 + i))
                        .build())
                .toList());
        here.add(email("own").scheduledTime(Instant.ofEpochMilli(5_000)).build());
        JobIndex.Window read = new JobIndex(here.designDocuments(), here.site()).pending("email:munich", 200);
        assertThat(read.complete()).isTrue();
        assertThat(read.jobs()).extracting(job -> job.id().id()).containsExactly("own");
        assertThat(here.activeIds("email")).isEmpty();
        List<ClaimedJob> claimed = here.accept(AcceptOptions.of("email").timeout(Duration.ZERO));
        assertThat(claimed).extracting(job -> job.id().id()).containsExactly("own");
        assertThat(here.activeIds("email")).containsExactly("own");
        assertThat(here.pendingCount("email", Instant.now(), 1000)).isZero();
    }

    @Test
    void a_worker_that_waits_hears_of_jobs_of_another_site_and_leaves_them_alone() throws Exception {
        JobQueue here = named(munich, "munich");
        ConcurrentLinkedQueue<String> runs = new ConcurrentLinkedQueue<>();
        try (Worker worker = worker(here, runs)) {
            assertThat(worker.id()).isNotBlank();
            here.add(email("first").build());
            TestQueue.finished(here, "email", "first");
            for (int i = 0; i < 5; i++) {
                here.add(email("other" + i).site("oslo").build());
            }
            here.add(email("last").build());
            TestQueue.finished(here, "email", "last");
        }
        assertThat(runs).containsExactly("first at munich", "last at munich");
        assertThat(here.list(JobFilter.all().status(JobStatus.WAITING), 10)).hasSize(5);
    }

    @Test
    void what_is_claimed_without_a_scheduled_time_or_in_turns_is_of_this_site_too() throws Exception {
        JobQueue here = named(munich, "munich");
        here.add(email("other").site("oslo").build());
        here.add(email("own").build());
        assertThat(here.accept(AcceptOptions.of("email").withoutSchedule().timeout(Duration.ZERO)))
                .extracting(job -> job.id().id())
                .containsExactly("own");
        here.add(email("own2").build());
        assertThat(here.accept(AcceptOptions.of("email")
                        .strategy(io.couchjobs.store.Strategy.fair(2, 1))
                        .timeout(Duration.ZERO)))
                .extracting(job -> job.id().id())
                .containsExactly("own2");
    }

    @Test
    void a_running_job_of_another_site_is_not_taken_back_here() throws Exception {
        JobQueue here = named(munich, "munich");
        here.setTypeTimeout("email", Duration.ofMillis(100));
        String lock = ",'status':'running','data':{},'lock':{'token':'t','worker':'dead','since':1}}";
        here.database().put(Jobs.json("{'_id':'job:email:other','site':'oslo'" + lock));
        here.database().put(Jobs.json("{'_id':'job:email:own','site':'munich'" + lock));
        ConcurrentLinkedQueue<String> runs = new ConcurrentLinkedQueue<>();
        try (Worker worker = worker(here, runs)) {
            assertThat(worker.id()).isNotBlank();
            here.database().put(Jobs.json("{'_id':'job:email:other2','site':'oslo'" + lock));
            TestQueue.finished(here, "email", "own");
            here.database().put(Jobs.json("{'_id':'job:email:own2','site':'munich'" + lock));
            TestQueue.finished(here, "email", "own2");
        }
        assertThat(runs).contains("own at munich", "own2 at munich").noneMatch(run -> run.startsWith("other"));
        assertThat(here.get("email", "other").orElseThrow().status()).isEqualTo(JobStatus.RUNNING);
        assertThat(here.get("email", "other2").orElseThrow().status()).isEqualTo(JobStatus.RUNNING);
    }

    @Test
    void retention_and_collections_leave_the_jobs_of_other_sites_to_these() throws Exception {
        JobQueue here = named(munich, "munich");
        here.changeSettings("email", settings -> settings.withRetention(new Retention.Delete()));
        for (String site : List.of("munich", "oslo")) {
            here.database()
                    .put(Jobs.json("{'_id':'job:email:" + site + "','site':'" + site
                            + "','status':'success','data':{},'times':{'finished':1}}"));
        }
        here.database().put(Jobs.json("{'_id':'job:email:none','status':'success','data':{},'times':{'finished':1}}"));
        TestQueue.gc(here).run();
        assertThat(here.all("email").map(job -> job.id().id())).containsExactlyInAnyOrder("none", "oslo");
        here.nameSite(new Site("munich", true));
        try (JobQueue home = TestQueue.open(munich)) {
            TestQueue.gc(home).run();
            assertThat(home.all("email").map(job -> job.id().id())).containsExactly("oslo");
        }
    }

    @Test
    void each_site_has_limits_of_its_own() throws Exception {
        JobQueue here = named(munich, "munich");
        JobQueue there = named(oslo, "oslo");
        here.changeSettings("email", settings -> settings.with(Limit.RUNNING, 1)
                .with(Limit.QUEUED, 2)
                .withRate(new Rate(1, Duration.ofHours(1))));
        here.add(email("m").build());
        assertThat(accepted(here)).containsExactly("m");
        replicate();
        there.add(email("o").build());
        assertThat(accepted(there))
                .as("a running job, its slot, its start and its place in the queue count where they are")
                .containsExactly("o");
        there.add(email("o2").build());
        there.add(email("o3").build());
        assertThat(there.get("email", "o3")).isPresent();
        assertThatThrownBy(() -> there.add(email("o4").build())).hasMessageContaining("2");
        there.add(email("for-munich").site("munich").build());
        assertThat(accepted(there)).isEmpty();
        replicate();
        here.add(email("m2").build());
        assertThat(here.get("email", "m2"))
                .as("the others' queue is not full here")
                .isPresent();
    }

    @Test
    void a_schedule_ticks_where_it_was_put() throws Exception {
        JobQueue there = named(oslo, "oslo");
        there.schedules()
                .put(Schedule.named("a-report")
                        .every(Duration.ofDays(1))
                        .job(email("x").build())
                        .build());
        JobQueue here = named(munich, "munich");
        replicate();
        here.schedules()
                .put(Schedule.named("z-report")
                        .every(Duration.ofDays(1))
                        .job(JobRequest.of("letter", Map.of()))
                        .build());
        long before = Instant.now().minus(Duration.ofDays(2)).toEpochMilli();
        for (String name : List.of("a-report", "z-report")) {
            CouchDatabase database = here.database();
            database.put(database.get("schedule:" + name).orElseThrow().put("last", before));
        }
        ConcurrentLinkedQueue<String> runs = new ConcurrentLinkedQueue<>();
        try (Worker worker = worker(here, runs)) {
            assertThat(worker.id()).isNotBlank();
            TestQueue.until(() -> here.all("letter").findFirst().isPresent());
        }
        assertThat(here.all("letter").findFirst().flatMap(Job::site)).contains("munich");
        assertThat(here.schedules().get("a-report").orElseThrow().last()).contains(Instant.ofEpochMilli(before));
        assertThat(here.all("email")).isEmpty();
        assertThat(here.schedules().runNow("a-report").site())
                .as("run by hand from elsewhere, it runs where it belongs")
                .contains("oslo");
    }

    @Test
    void documents_may_arrive_in_any_order_twice_or_late() throws Exception {
        long seed = System.nanoTime();
        JobQueue here = named(munich, "munich");
        JobQueue there = named(oslo, "oslo");
        Replication toOslo = new Replication(munich, munich.name(), oslo.name());
        List<Job> added = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            added.add(here.insert(email("step" + i).site("oslo").build()));
        }
        here.add(email("last")
                .site("oslo")
                .after(added.get(0).id())
                .after(added.get(3).id())
                .build());
        var late = toOslo.all();
        toOslo.runInDisorder(seed);
        ConcurrentLinkedQueue<String> runs = new ConcurrentLinkedQueue<>();
        try (Worker worker = worker(there, runs)) {
            assertThat(worker.id()).isNotBlank();
            TestQueue.finished(there, "email", "last");
            TestQueue.until(() -> finished(there) == 5);
            new Replication(munich, oslo.name(), munich.name()).runInDisorder(seed);
            toOslo.deliver(late);
            toOslo.runInDisorder(seed + 1);
            there.remove("email", "step1");
            toOslo.deliver(late);
            there.add(email("sentinel").build());
            TestQueue.finished(there, "email", "sentinel");
        }
        assertThat(runs).as("seed %s", seed).hasSize(6).doesNotHaveDuplicates();
        assertThat(there.get("email", "step1")).as("what was removed stays so").isEmpty();
        assertThat(finished(here)).isEqualTo(5);
    }

    @Test
    void of_two_creators_of_one_id_the_same_wins_everywhere_and_it_runs_once() throws Exception {
        JobQueue here = named(munich, "munich");
        JobQueue there = named(oslo, "oslo");
        here.add(email("1").data(Map.of("by", "munich")).build());
        there.add(email("1").data(Map.of("by", "oslo")).build());
        replicate();
        assertThat(here.conflicts().open()).containsExactly("job:email:1");
        assertThat(accepted(here)).isEmpty();
        assertThat(accepted(there)).isEmpty();
        assertThat(here.conflicts().resolve("job:email:1")).isTrue();
        assertThat(there.conflicts().resolve("job:email:1")).isTrue();
        replicate();
        replicate();
        Job job = here.get("email", "1").orElseThrow();
        assertThat(job.rev()).isEqualTo(there.get("email", "1").orElseThrow().rev());
        assertThat(job.site()).contains(job.data().path("by").asText());
        assertThat(here.conflicts().open()).isEmpty();
        assertThat(there.conflicts().open()).isEmpty();
        List<String> claims = new ArrayList<>(accepted(here));
        claims.addAll(accepted(there));
        assertThat(claims).containsExactly("1");
    }

    @Test
    void a_change_that_comes_too_late_does_not_run_a_job_again() throws Exception {
        JobQueue here = named(munich, "munich");
        JobQueue there = named(oslo, "oslo");
        here.add(email("1").site("oslo").build());
        here.add(email("2").site("oslo").build());
        replicate();
        for (ClaimedJob claim : there.accept(AcceptOptions.of("email").max(10).timeout(Duration.ZERO))) {
            claim.finish("ran");
        }
        here.reschedule("email", "1", Instant.now().minusSeconds(5));
        here.reschedule("email", "1", Instant.now().minusSeconds(4));
        here.reschedule("email", "1", Instant.now().minusSeconds(3));
        here.cancel("email", "2", io.couchjobs.store.CancelMode.REQUEST);
        replicate();
        assertThat(here.conflicts().resolve("job:email:1"))
                .as("what runs elsewhere is resolved there")
                .isTrue();
        assertThat(here.conflicts().open()).hasSize(2);
        for (String id : List.of("1", "2")) {
            assertThat(there.conflicts().resolve("job:email:" + id)).isTrue();
        }
        replicate();
        assertThat(here.conflicts().open()).isEmpty();
        assertThat(finished(here)).isEqualTo(2);
        assertThat(accepted(there)).isEmpty();
    }

    @Test
    void the_name_of_a_site_is_checked() {
        assertThatThrownBy(() -> Site.named("a:b")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> email("1").site("").build()).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> TestQueue.builder(munich).site("b\u00fcro"))
                .isInstanceOf(IllegalArgumentException.class);
        try (JobQueue queue = TestQueue.builder(oslo).site("paris").open()) {
            queue.add(email("1").build());
            assertThat(queue.get("email", "1").orElseThrow().site()).contains("paris");
            queue.database().put(Jobs.json("{'_id':'job:email:2','site':'a:b'}"));
            assertThat(queue.malformed()).containsEntry("job:email:2", "site");
        }
        try (JobQueue queue = TestQueue.open(oslo)) {
            assertThat(queue.site()).as("an override writes nothing").isEqualTo(Site.UNNAMED);
        }
    }

    private JobQueue named(TestDatabase database, String name) {
        try (JobQueue first = TestQueue.open(database)) {
            first.nameSite(Site.named(name));
        }
        JobQueueBuilder builder = TestQueue.builder(database);
        JobQueue queue = builder.open();
        open.add(queue);
        return queue;
    }

    private void replicate() {
        new Replication(munich, munich.name(), oslo.name()).run();
        new Replication(munich, oslo.name(), munich.name()).run();
    }

    private static JobRequest.Builder email(String id) {
        return JobRequest.builder("email").id(id).data(Map.of());
    }

    private static Worker worker(JobQueue queue, ConcurrentLinkedQueue<String> runs) {
        String site = String.valueOf(queue.site().name());
        return queue.worker()
                .id("w1")
                .handler("email", (job, context) -> {
                    runs.add(context.id().id() + " at " + site);
                    return site;
                })
                .start();
    }

    private static List<String> accepted(JobQueue queue) throws InterruptedException {
        return queue.accept(AcceptOptions.of("email").max(10).timeout(Duration.ZERO)).stream()
                .map(claim -> claim.id().id())
                .toList();
    }

    private static long finished(JobQueue queue) {
        return queue.all("email")
                .filter(job -> Set.of(JobStatus.SUCCESS).contains(job.status()))
                .count();
    }
}
