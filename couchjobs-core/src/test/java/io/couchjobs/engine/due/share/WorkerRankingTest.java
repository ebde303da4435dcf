package io.couchjobs.engine.due.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.job.Job;
import io.couchjobs.job.Site;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.SourceDatabases;
import io.couchjobs.testing.TestQueue;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Whom a worker leaves new jobs to. */
@ServerTest
class WorkerRankingTest {
    private static final List<Job> JOBS = IntStream.range(0, 100)
            .mapToObj(n -> Job.parse(Jobs.json("{'_id':'job:email:" + n + "','_rev':'1-a','data':{}}")))
            .toList();

    @Test
    void workers_of_other_types_do_not_slow_a_queue_down() {
        WorkerRanking ranking = new WorkerRanking("self", Site.UNNAMED);
        IntStream.range(0, 10).forEach(n -> ranking.changed(registered("w" + n, "other"), 0));
        assertThat(ranking.count("email")).isEqualTo(1);
        assertThat(JOBS).allSatisfy(job -> assertThat(ranking.rank(job)).isZero());
    }

    @Test
    void each_job_has_exactly_one_worker_of_its_type_that_is_first() {
        List<String> ids = List.of("a", "b", "c");
        List<WorkerRanking> fleet =
                ids.stream().map(id -> new WorkerRanking(id, Site.UNNAMED)).toList();
        for (WorkerRanking ranking : fleet) {
            ids.forEach(id -> ranking.changed(registered(id, "email"), 0));
        }
        for (Job job : JOBS) {
            assertThat(fleet.stream().map(ranking -> ranking.rank(job))).containsExactlyInAnyOrder(0, 1, 2);
        }
        assertThat(Stream.of(fleet.get(0)).flatMap(ranking -> JOBS.stream().map(ranking::rank)))
                .as("no worker is first for all, none for no job")
                .contains(0, 1, 2);
    }

    @Test
    void a_worker_that_is_gone_is_waited_for_no_more() {
        WorkerRanking ranking = new WorkerRanking("self", Site.UNNAMED);
        IntStream.range(0, 10).forEach(n -> ranking.changed(registered("w" + n, "email"), 0));
        assertThat(JOBS).anySatisfy(job -> assertThat(ranking.rank(job)).isPositive());
        IntStream.range(0, 10).forEach(n -> ranking.changed(gone("w" + n), 0));
        assertThat(JOBS).allSatisfy(job -> assertThat(ranking.rank(job)).isZero());
    }

    @Test
    void a_worker_that_goes_while_the_workers_are_read_is_not_waited_for(TestDatabase database) {
        WorkerRanking ranking = new WorkerRanking("self", Site.UNNAMED);
        try (Proxy proxy = Proxy.before(database.server());
                JobQueue queue = TestQueue.open(proxy.door(database))) {
            List.of("gone", "here", "back")
                    .forEach(id ->
                            SourceDatabases.save(queue.database(), "{'_id':'worker:" + id + "','types':['email']}"));
            proxy.detour(new Proxy.Detour() {
                @Override
                public boolean returns(Proxy.Request request) {
                    if (request.toString().contains("_all_docs")) {
                        ranking.changed(gone("gone"), 0);
                        ranking.changed(gone("back"), 0);
                        ranking.changed(registered("back", "email"), 0);
                    }
                    return true;
                }
            });
            ranking.load(queue.database());
            assertThat(ranking.count()).as("this one, and two others").isEqualTo(3);
            proxy.clear();
            ranking.load(queue.database());
            assertThat(ranking.count()).as("the next reading knows").isEqualTo(4);
        }
    }

    private static FeedEvent gone(String worker) {
        return new FeedEvent("worker:" + worker, "2-a", true, null, false);
    }

    private static FeedEvent registered(String worker, String type) {
        return new FeedEvent("worker:" + worker, "1-a", false, Jobs.json("{'types':['" + type + "']}"), false);
    }
}
