package io.couchjobs.sites;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.JobArrays;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.ViewQuery.Update;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Site;
import io.couchjobs.job.Strategy;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which jobs are run in which of two databases that replicate to each other. */
@ServerTest
class SitesTest extends TwoDatabases {
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
    void the_items_of_an_array_run_at_its_site_only() throws Exception {
        JobQueue atMunich = named(munich, "munich");
        JobQueue atOslo = named(oslo, "oslo");
        List<Map<String, Integer>> items = List.of(Map.of("n", 1), Map.of("n", 2), Map.of("n", 3));
        atMunich.arrays().add(email("for-oslo").site("oslo").build(), items, 2);
        atMunich.arrays().add(email("own").build(), items, 2);
        replicate();
        ConcurrentLinkedQueue<String> runs = new ConcurrentLinkedQueue<>();
        JobId forOslo = new JobId("email", "for-oslo");
        JobId own = new JobId("email", "own");
        try (Worker here = worker(atMunich, runs);
                Worker there = worker(atOslo, runs)) {
            TestQueue.until(() -> {
                replicate();
                return Stream.of(atMunich, atOslo)
                        .allMatch(queue -> isFinished(queue, forOslo) && isFinished(queue, own));
            });
            TestQueue.until(() -> here.stats().succeeded() == 2 && there.stats().succeeded() == 2);
        }
        assertThat(runs.stream().filter(run -> run.endsWith("at munich")))
                .hasSize(3)
                .allMatch(run -> run.startsWith("own"));
        assertThat(runs.stream().filter(run -> run.endsWith("at oslo")))
                .hasSize(3)
                .allMatch(run -> run.startsWith("for-oslo"));
    }

    private static boolean isFinished(JobQueue queue, JobId array) {
        return queue.arrays().get(array).filter(JobArrays.State::isFinished).isPresent();
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
        assertThat(named.types().pendingCount("email", Instant.now(), 10)).isZero();

        named.operations().nameSite(new Site("munich", true));
        JobQueue home = TestQueue.open(munich);
        open.add(home);
        home.add(email("own2").build());
        home.add(email("foreign").site("oslo").build());
        assertThat(home.types().pendingCount("email", Instant.now(), 10)).isEqualTo(2);
        assertThat(home.types().pendingCount("email", Instant.now(), 1)).isEqualTo(1);
        assertThat(accepted(home)).containsExactlyInAnyOrder("by-hand", "own2");
        assertThat(accepted(home)).isEmpty();
        assertThat(home.types().counts().get("email").byStatus().get(JobStatus.WAITING))
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
            assertThat(again.operations().site()).isEqualTo(Site.UNNAMED);
        }
        here.operations().nameSite(Site.UNNAMED);
        try (JobQueue again = TestQueue.open(munich)) {
            assertThat(again.operations().site()).isEqualTo(Site.UNNAMED);
        }
    }

    @Test
    @NeedsOneCopy("the copy of the index that is asked may lag behind for a moment")
    void due_jobs_of_another_site_in_front_are_not_read_through() throws Exception {
        JobQueue here = named(munich, "munich");
        here.addAll(IntStream.range(0, 300)
                .mapToObj(i -> email("other" + i)
                        .site("oslo")
                        .scheduledTime(Jobs.past(i))
                        .build())
                .toList());
        here.add(email("own").scheduledTime(Jobs.past(5_000)).build());
        JobIndex.Window read = new JobIndex(
                        new DesignDocuments(here.database()), here.operations().site())
                .pending("email:munich", Optional.empty(), Update.TRUE, 200, UnaryOperator.identity());
        assertThat(read.complete()).isTrue();
        assertThat(read.jobs()).extracting(job -> job.id().id()).containsExactly("own");
        assertThat(here.types().activeIds("email")).isEmpty();
        List<ClaimedJob> claimed = here.accept(AcceptOptions.of("email").timeout(Duration.ZERO));
        assertThat(claimed).extracting(job -> job.id().id()).containsExactly("own");
        assertThat(here.types().activeIds("email")).containsExactly("own");
        assertThat(here.types().pendingCount("email", Instant.now(), 1000)).isZero();
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
    void a_claim_without_a_scheduled_time_or_in_turns_takes_only_jobs_of_this_site_too() throws Exception {
        JobQueue here = named(munich, "munich");
        here.add(email("other").site("oslo").build());
        here.add(email("own").build());
        assertThat(here.accept(AcceptOptions.of("email").noSchedule(true).timeout(Duration.ZERO)))
                .extracting(job -> job.id().id())
                .containsExactly("own");
        here.add(email("own2").build());
        assertThat(here.accept(
                        AcceptOptions.of("email").strategy(Strategy.fair(2, 1)).timeout(Duration.ZERO)))
                .extracting(job -> job.id().id())
                .containsExactly("own2");
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
        }
        try (JobQueue queue = TestQueue.open(oslo)) {
            assertThat(queue.operations().site())
                    .as("an override writes nothing")
                    .isEqualTo(Site.UNNAMED);
            TestQueue.assumeThatAnythingCanBeStored();
            queue.database().put(Jobs.json("{'_id':'job:email:2','site':'a:b'}"));
            assertThat(queue.operations().malformed()).containsEntry("job:email:2", "site");
        }
    }

    @Test
    void databases_that_replicate_all_the_time_run_each_job_once() throws Exception {
        JobQueue atMunich = named(munich, "munich");
        JobQueue atOslo = named(oslo, "oslo");
        ConcurrentLinkedQueue<String> runs = new ConcurrentLinkedQueue<>();
        try (Replication.Live there = new Replication(munich, munich.name(), oslo.name()).live();
                Replication.Live back = new Replication(munich, oslo.name(), munich.name()).live();
                Worker here = worker(atMunich, runs);
                Worker other = worker(atOslo, runs)) {
            assertThat(here.id()).isNotEqualTo(other.id());
            for (int i = 0; i < 5; i++) {
                atMunich.add(email("for-oslo" + i).site("oslo").build());
                atOslo.add(email("for-munich" + i).site("munich").build());
            }
            TestQueue.until(() -> {
                there.run();
                back.run();
                return finished(atMunich) == 10 && finished(atOslo) == 10;
            });
        }
        assertThat(runs)
                .containsExactlyInAnyOrderElementsOf(IntStream.range(0, 5)
                        .boxed()
                        .flatMap(i -> List.of("for-oslo" + i + " at oslo", "for-munich" + i + " at munich").stream())
                        .toList());
        assertThat(atMunich.operations().conflicts()).isEmpty();
        assertThat(atOslo.operations().conflicts()).isEmpty();
    }

    @Test
    void a_job_without_a_site_runs_at_home_wherever_it_was_written() throws Exception {
        JobQueue before = TestQueue.open(munich);
        open.add(before);
        before.add(email("from-before").build());
        List<String> indexes = new DesignDocuments(before.database()).installed();
        before.operations().nameSite(new Site("munich", true));
        JobQueue home = TestQueue.open(munich);
        open.add(home);
        JobQueue there = named(oslo, "oslo");
        there.database().put(Jobs.json("{'_id':'job:email:by-hand','data':{}}"));
        replicate();
        assertThat(accepted(there)).isEmpty();
        assertThat(accepted(home)).containsExactlyInAnyOrder("from-before", "by-hand");
        assertThat(home.get("email", "by-hand").orElseThrow().site()).isEmpty();
        assertThat(new DesignDocuments(home.database()).installed())
                .as("a name needs no index of its own")
                .isEqualTo(indexes);
    }
}
