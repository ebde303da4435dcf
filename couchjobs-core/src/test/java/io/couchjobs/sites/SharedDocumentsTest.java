package io.couchjobs.sites;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Site;
import io.couchjobs.job.WorkerInfo;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Limit;
import io.couchjobs.type.Rate;
import io.couchjobs.type.Retention;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** What is replicated beside jobs, or looks after them: each site minds its own. */
@ServerTest
class SharedDocumentsTest extends TwoDatabases {
    @Test
    void retention_and_collections_leave_the_jobs_of_other_sites_to_these() throws Exception {
        JobQueue here = named(munich, "munich");
        here.types().change("email", settings -> settings.withRetention(new Retention.Delete()));
        for (String site : List.of("munich", "oslo")) {
            here.database()
                    .put(Jobs.json("{'_id':'job:email:" + site + "','site':'" + site
                            + "','status':'success','data':{},'times':{'finished':1}}"));
        }
        here.database().put(Jobs.json("{'_id':'job:email:none','status':'success','data':{},'times':{'finished':1}}"));
        TestQueue.gc(here).run();
        assertThat(here.all("email").map(job -> job.id().id())).containsExactlyInAnyOrder("none", "oslo");
        here.operations().nameSite(new Site("munich", true));
        try (JobQueue home = TestQueue.open(munich)) {
            TestQueue.gc(home).run();
            assertThat(home.all("email").map(job -> job.id().id())).containsExactly("oslo");
        }
    }

    @Test
    @NeedsOneCopy("the copy of the index that counts what waits may lag behind for a moment")
    void each_site_has_limits_of_its_own() throws Exception {
        JobQueue here = named(munich, "munich");
        JobQueue there = named(oslo, "oslo");
        here.types().change("email", settings -> settings.with(Limit.RUNNING, 1)
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
            // The copy that is asked for a list may lag behind for a moment.
            TestQueue.until(
                    () -> here.all("letter").findFirst().flatMap(Job::site).equals(Optional.of("munich")));
        }
        assertThat(here.schedules().get("a-report").orElseThrow().last()).contains(Instant.ofEpochMilli(before));
        assertThat(here.all("email")).isEmpty();
        assertThat(here.schedules().runNow("a-report").site())
                .as("run by hand from elsewhere, it runs where it belongs")
                .contains("oslo");
    }

    @Test
    void a_running_job_of_another_site_is_not_taken_back_here() throws Exception {
        JobQueue here = named(munich, "munich");
        here.types().setTimeout("email", Duration.ofSeconds(2)); // a lease that a slow worker keeps
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
    void registrations_of_other_sites_are_left_to_these() throws Exception {
        JobQueue here = named(munich, "munich");
        String dead = ",'pid':1,'types':['email'],'beat':1,'at':1}";
        here.database().put(Jobs.json("{'_id':'worker:w1@oslo','site':'oslo'" + dead));
        here.database().put(Jobs.json("{'_id':'worker:w2@munich','site':'munich'" + dead));
        TestQueue.gc(here).run();
        assertThat(here.database().get("worker:w1@oslo")).isPresent();
        assertThat(here.database().get("worker:w2@munich")).isEmpty();
    }

    @Test
    void workers_of_other_sites_are_not_among_those_here() {
        JobQueue here = named(munich, "munich");
        String dead = ",'pid':1,'types':['email'],'beat':1,'at':1}";
        for (String worker :
                List.of("w1@oslo','site':'oslo'", "w2@munich','site':'munich'", "w3@oslo','site':'oslo'")) {
            here.database().put(Jobs.json("{'_id':'worker:" + worker + dead));
        }
        here.database()
                .put(Jobs.json("{'_id':'job:email:1','site':'munich','status':'running','data':{},"
                        + "'lock':{'token':'t','worker':'w3@oslo','since':1}}"));
        assertThat(here.operations().workers())
                .extracting(WorkerInfo::id)
                .as("one that owns a job here is")
                .containsExactly("w2@munich", "w3@oslo");
        assertThat(here.operations().orphaned()).isZero();
    }

    @Test
    void a_pause_that_is_replicated_holds_in_both_databases() throws Exception {
        JobQueue here = named(munich, "munich");
        JobQueue there = named(oslo, "oslo");
        there.add(email("1").build());
        here.types().change("email", settings -> settings.withPaused(true));
        replicate();
        try (JobQueue again = TestQueue.open(oslo)) {
            assertThat(accepted(again)).isEmpty();
            here.types().change("email", settings -> settings.withPaused(false));
            replicate();
            TestQueue.until(() -> accepted(again).contains("1"));
        }
    }

    @Test
    void the_tombstones_of_a_database_with_a_name_stay_until_others_have_heard_of_them() throws Exception {
        assumeTrue(!munich.serverName().contains("PouchDB"), "PouchDB Server cannot purge");
        JobQueue named = named(munich, "munich");
        JobQueue alone = TestQueue.open(oslo);
        open.add(alone);
        for (JobQueue queue : List.of(named, alone)) {
            queue.types().change("email", settings -> settings.withRetention(new Retention.Delete()));
            queue.add(email("1").build());
            queue.accept(AcceptOptions.of("email").timeout(Duration.ZERO))
                    .get(0)
                    .finish();
        }
        assertThat(TestQueue.gc(alone).run().tombstonesPurged()).isEqualTo(1);
        assertThat(TestQueue.gc(named).run().tombstonesPurged()).isZero();
        assertThat(TestQueue.gc(named).keepTombstones(Duration.ZERO).run().tombstonesPurged())
                .isEqualTo(1);
    }
}
