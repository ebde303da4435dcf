package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.couch.ViewQuery;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.OtherProcess;
import io.couchjobs.testing.OwnedAtOnce;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Limit;
import io.couchjobs.type.Rate;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** How many jobs of a type, and of a group, run at once. */
@ServerTest
@Execution(ExecutionMode.CONCURRENT)
class LimitsTest extends LimitedQueue {
    @Test
    void a_group_without_room_does_not_hold_up_the_younger_jobs_of_others() throws Exception {
        queue.types().change("email", settings -> settings.with(Limit.RUNNING_PER_GROUP, 1));
        List<JobRequest> flood = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            flood.add(JobRequest.builder("email")
                    .id("flood" + i)
                    .group("flood")
                    .data(Map.of())
                    .build());
        }
        queue.addAll(flood);
        for (String group : List.of("b", "c", "z")) {
            add("email", group, group);
        }
        CountDownLatch others = new CountDownLatch(3);
        AtomicInteger ofFlood = new AtomicInteger();
        try (JobQueue own = TestQueue.open(database);
                Worker worker = own.worker()
                        .concurrency(3)
                        .handler("email", (data, context) -> {
                            if (context.job().group().equals("flood")) {
                                ofFlood.incrementAndGet();
                                others.await();
                            } else {
                                others.countDown();
                            }
                            return null;
                        })
                        .start()) {
            assertThat(others.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(ofFlood).hasValueLessThanOrEqualTo(3);
            assertThat(worker.stats().failed()).isZero();
        }
    }

    @Test
    void racing_workers_never_own_more_jobs_than_the_limit_and_run_all_of_them() throws Exception {
        limit("email", 3);
        int jobs = 40;
        AtomicInteger running = new AtomicInteger();
        AtomicInteger mostRunning = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(jobs);
        List<JobQueue> queues = new ArrayList<>();
        List<Worker> workers = new ArrayList<>();
        OwnedAtOnce owned = new OwnedAtOnce(queue);
        try {
            for (int i = 0; i < jobs; i++) {
                add("email", "j" + i, "");
            }
            for (int i = 0; i < 3; i++) {
                JobQueue own = TestQueue.open(database);
                queues.add(own);
                workers.add(own.worker()
                        .concurrency(4)
                        .handler("email", (data, context) -> {
                            mostRunning.accumulateAndGet(running.incrementAndGet(), Math::max);
                            TestQueue.work(5);
                            running.decrementAndGet();
                            done.countDown();
                            return null;
                        })
                        .start());
            }
            assertThat(done.await(60, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
            TestQueue.until(() -> slots().isEmpty());
            owned.awaitEnds(jobs);
        } finally {
            owned.close();
            workers.forEach(Worker::close);
            queues.forEach(JobQueue::close);
        }
        assertThat(mostRunning).hasValueBetween(1, 3);
        assertThat(owned.most()).as("as the changes feed tells").isLessThanOrEqualTo(3);
        assertThat(queue.list(JobFilter.all().status(JobStatus.SUCCESS), 100)).hasSize(jobs);
    }

    @Test
    @NeedsOneCopy("the copies that are asked for jobs and slots may lag behind for a moment")
    void a_limit_is_lowered_raised_and_cleared_while_jobs_run() throws Exception {
        limit("email", 2);
        for (int i = 0; i < 6; i++) {
            add("email", "j" + i, "");
        }
        List<ClaimedJob> owned = new ArrayList<>(accept(9, "email"));
        assertThat(owned).hasSize(2);
        assertThat(slots()).hasSize(2);

        limit("email", 1);
        owned.remove(0).finish();
        TestQueue.until(() -> slots().size() == 1);
        assertThat(accept(9, "email")).as("one still runs").isEmpty();
        owned.remove(0).finish();
        owned.addAll(acceptSoon("email"));
        assertThat(owned).hasSize(1);

        limit("email", 0);
        owned.remove(0).finish();
        assertThat(accept(9, "email")).as("limit 0").isEmpty();

        queue.types().change("email", settings -> settings.without(Limit.RUNNING));
        owned.addAll(acceptSoon("email"));
        assertThat(owned).hasSize(3);
        assertThat(slots()).isEmpty();

        limit("email", 3);
        add("email", "last", "");
        assertThat(accept(9, "email")).as("those without a slot count too").isEmpty();
        owned.remove(0).release();
        assertThat(acceptSoon("email")).hasSize(1);
    }

    @Test
    void a_full_type_costs_no_requests_while_it_is_full_and_does_not_hold_up_others() throws Exception {
        limit("email", 0);
        add("email", "1", "");
        accept(1, "email");
        try (Proxy proxy = Proxy.before(database.server());
                JobQueue counted = TestQueue.open(proxy.door(database))) {
            CountedRequests requests = new CountedRequests();
            assertThat(counted.accept(AcceptOptions.of("email", "fax").timeout(Duration.ZERO)))
                    .isEmpty();
            proxy.detour(requests);
            assertThat(counted.accept(AcceptOptions.of("email").timeout(Duration.ofMillis(300))))
                    .isEmpty();
            assertThat(requests.all()).as("requests while the type is full").allMatch(CountedRequests::isOfTheMonitor);
            add("fax", "1", "");
            assertThat(counted.accept(AcceptOptions.of("email", "fax").timeout(TestQueue.PATIENCE)))
                    .hasSize(1);
        }
    }

    @Test
    void a_job_costs_two_writes_without_a_limit_and_those_of_a_limited_type_share_their_slot_requests()
            throws Exception {
        limit("email", 10);
        try (Proxy proxy = Proxy.before(database.server());
                JobQueue counted = TestQueue.open(proxy.door(database))) {
            assertThat(counted.accept(AcceptOptions.of("email", "fax").timeout(Duration.ZERO)))
                    .isEmpty();
            CountedRequests requests = new CountedRequests();
            proxy.detour(requests);
            add("fax", "1", "");
            counted.accept(AcceptOptions.of("fax")).get(0).finish();
            assertThat(requests.writes()).as("a claim and a finish").hasSize(2);

            requests.clear();
            for (int i = 0; i < 5; i++) {
                add("email", "j" + i, "");
            }
            TestQueue.until(() -> queue.types().pendingCount("email", Instant.now(), 9) == 5);
            List<ClaimedJob> jobs = new ArrayList<>();
            while (jobs.size() < 5) {
                jobs.addAll(counted.accept(AcceptOptions.of("email").max(5)));
            }
            assertThat(requests.writes().size())
                    .as("slots and claims, of at most 5 rounds")
                    .isLessThanOrEqualTo(10);
            jobs.forEach(ClaimedJob::finish);
            TestQueue.until(() -> slots().isEmpty());
        }
    }

    @Test
    void each_group_has_its_own_limit_and_a_full_one_does_not_hold_up_the_others() throws Exception {
        queue.types().change("email", settings -> settings.with(Limit.RUNNING_PER_GROUP, 1));
        for (int i = 0; i < 5; i++) {
            add("email", "x" + i, "x:y");
        }
        add("email", "z", "z");
        add("email", "none", "");

        List<ClaimedJob> jobs = new ArrayList<>();
        for (List<ClaimedJob> more = accept(2, "email"); !more.isEmpty(); more = accept(2, "email")) {
            jobs.addAll(more);
        }
        assertThat(jobs).extracting(job -> job.job().group()).containsExactlyInAnyOrder("x:y", "z", "");
        jobs.forEach(ClaimedJob::finish);
        assertThat(acceptSoon("email")).extracting(job -> job.job().group()).containsExactly("x:y");
    }

    @Test
    void an_accept_at_random_without_a_time_finds_the_job_whose_group_has_room() throws Exception {
        queue.types().change("email", settings -> settings.with(Limit.RUNNING_PER_GROUP, 1));
        queue.addAll(IntStream.range(0, 400)
                .mapToObj(i ->
                        JobRequest.builder("email").group("full").data(Map.of()).build())
                .toList());
        AcceptOptions atRandom = AcceptOptions.of("email").noSchedule(true).timeout(TestQueue.INDEX_LAG);
        assertThat(queue.accept(atRandom)).hasSize(1);
        add("email", "free", "other");

        assertThat(queue.accept(atRandom)).extracting(job -> job.id().id()).containsExactly("free");
    }

    @Test
    void the_slot_of_a_worker_that_was_killed_is_free_when_its_lease_is_over() throws Exception {
        limit("email", 1);
        queue.types().setTimeout("email", Duration.ofSeconds(1));
        add("email", "deadly", "");
        Process dying = OtherProcess.start(Halting.class, database);
        assertThat(dying.waitFor()).isEqualTo(66);
        assertThat(slots()).hasSize(1);
        add("email", "other", "");
        try (Worker worker =
                queue.worker().handler("email", (data, context) -> "ok").start()) {
            // A machine that stands still for as long as the timeout may cost the second owner its lease, too.
            assertThat(TestQueue.finished(queue, "email", "deadly").expirations())
                    .isPositive();
            TestQueue.finished(queue, "email", "other");
            TestQueue.until(() -> worker.stats().recovered() >= 1);
        }
        TestQueue.until(() -> slots().isEmpty());
    }

    @Test
    void a_limit_that_a_person_wrote_wrongly_counts_as_not_set() throws Exception {
        queue.database()
                .put(Jobs.json("{'_id':'type:email','limit':-3,'groupLimit':'x','rate':'fast','maxQueued':{}}"));
        add("email", "1", "");
        assertThat(accept(1, "email")).hasSize(1);
        assertThat(queue.types().settings("email").get(Limit.RUNNING)).isEmpty();
        assertThat(queue.types().settings("email").rate()).isEmpty();
    }

    @Test
    @Timeout(60)
    void a_worker_that_is_to_stop_when_nothing_is_due_waits_for_no_type_that_may_run_none() throws Exception {
        limit("email", 0);
        queue.types().change("fetch", settings -> settings.withRate(new Rate(1, Duration.ofDays(1))));
        add("email", "1", "");
        add("fetch", "1", "");
        add("fetch", "2", "");
        try (JobQueue standing = TestQueue.standing(database);
                Worker worker = standing.worker()
                        .handler("email", (data, context) -> null)
                        .handler("fetch", (data, context) -> null)
                        .filter(job -> job.id().id().equals("1"))
                        .untilEmpty()
                        .start()) {
            worker.awaitStopped();
            assertThat(worker.stats().succeeded()).isEqualTo(1);
        }
    }

    @Test
    @Timeout(60)
    void a_worker_that_is_to_stop_when_nothing_is_due_waits_for_the_slot_of_a_dead_owner() throws Exception {
        limit("email", 1);
        queue.types().setTimeout("email", Duration.ofSeconds(2));
        add("email", "1", "");
        assertThat(accept(1, "email")).hasSize(1);
        try (JobQueue other = TestQueue.open(database);
                Worker worker = other.worker()
                        .handler("email", (data, context) -> null)
                        .untilEmpty()
                        .start()) {
            worker.awaitStopped();
            assertThat(worker.stats().succeeded()).isEqualTo(1);
        }
    }

    @Test
    void a_drain_runs_all_jobs_of_a_type_of_which_one_may_run_at_a_time_though_slots_are_given_back_slowly()
            throws Exception {
        limit("email", 1);
        for (int i = 0; i < 3; i++) {
            add("email", "j" + i, "");
        }
        try (Proxy proxy = Proxy.before(database.server());
                JobQueue slow = TestQueue.open(proxy.door(database))) {
            proxy.detour(new Proxy.Detour() {
                @Override
                public boolean goes(Proxy.Request request) throws InterruptedException {
                    if (request.isBulkWrite() && request.body().contains("\"_deleted\"")) {
                        TestQueue.work(300);
                    }
                    return true;
                }
            });
            assertThat(slow.worker().handler("email", (data, context) -> null).drain())
                    .hasSize(3);
        }
    }

    @Test
    void a_full_group_does_not_hold_up_the_others_of_its_type_while_another_type_has_due_jobs() throws Exception {
        queue.types().change("email", settings -> settings.with(Limit.RUNNING_PER_GROUP, 1));
        queue.addAll(IntStream.range(0, 300)
                .mapToObj(i -> request("email", "a" + i, "full"))
                .toList());
        add("email", "b", "free");
        queue.addAll(IntStream.range(0, 20)
                .mapToObj(i -> JobRequest.builder("fetch")
                        .id("f" + i)
                        .scheduledTime(Instant.now().minusSeconds(60))
                        .data(Map.of())
                        .build())
                .toList());
        assertThat(accept(1, "email")).hasSize(1);
        List<String> claimed = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            queue.accept(AcceptOptions.of("email", "fetch").max(1).timeout(Duration.ZERO))
                    .forEach(job -> claimed.add(job.id().id()));
        }
        assertThat(claimed).contains("b");
    }

    private void limit(String type, int limit) {
        queue.types().change(type, settings -> settings.with(Limit.RUNNING, limit));
    }

    private List<ClaimedJob> accept(int max, String type) throws InterruptedException {
        return queue.accept(AcceptOptions.of(type).max(max).timeout(Duration.ZERO));
    }

    private List<ClaimedJob> acceptSoon(String type) throws InterruptedException {
        return queue.accept(AcceptOptions.of(type).max(9).timeout(TestQueue.PATIENCE));
    }

    private List<String> slots() {
        return queue.database().view(ViewQuery.allDocs().startKey("slot:").endKey("slot:\uffff")).rows().stream()
                .map(row -> row.key().asText())
                .toList();
    }

    /** A worker that dies of the first job it runs. */
    static final class Halting {
        private Halting() {}

        public static void main(String[] arguments) throws Exception {
            try (JobQueue queue = OtherProcess.queue();
                    Worker worker = queue.worker()
                            .handler("email", (data, context) -> {
                                Runtime.getRuntime().halt(66);
                                return null;
                            })
                            .start()) {
                worker.awaitStopped();
            }
        }
    }
}
