package io.couchjobs.engine.due.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.job.Job;
import io.couchjobs.job.Site;
import io.couchjobs.testing.Jobs;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Whom a worker leaves new jobs to. */
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
    void of_the_workers_of_a_type_each_job_is_first_for_one() {
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
    void who_is_gone_is_waited_for_no_more() {
        WorkerRanking ranking = new WorkerRanking("self", Site.UNNAMED);
        IntStream.range(0, 10).forEach(n -> ranking.changed(registered("w" + n, "email"), 0));
        assertThat(JOBS).anySatisfy(job -> assertThat(ranking.rank(job)).isPositive());
        IntStream.range(0, 10)
                .forEach(n -> ranking.changed(new FeedEvent("worker:w" + n, "2-a", true, null, false), 0));
        assertThat(JOBS).allSatisfy(job -> assertThat(ranking.rank(job)).isZero());
    }

    private static FeedEvent registered(String worker, String type) {
        return new FeedEvent("worker:" + worker, "1-a", false, Jobs.json("{'types':['" + type + "']}"), false);
    }
}
