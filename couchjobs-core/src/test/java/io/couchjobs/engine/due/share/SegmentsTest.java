package io.couchjobs.engine.due.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Site;
import io.couchjobs.testing.Jobs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How workers share a long line of jobs. */
class SegmentsTest {
    private static final List<String> WORKERS = List.of("a", "b", "c", "d");
    private static final List<JobId> LINE = IntStream.range(0, 8_000)
            .mapToObj(n -> new JobId("email", String.format("%06d", n)))
            .toList();

    @Test
    void each_job_of_a_line_is_one_workers() {
        List<JobId> taken = new ArrayList<>();
        WORKERS.forEach(worker -> taken.addAll(stretches(worker).of(LINE)));
        assertThat(taken).containsExactlyInAnyOrderElementsOf(LINE);
    }

    @Test
    void nobody_has_very_much_more_than_others() {
        for (String worker : WORKERS) {
            assertThat(stretches(worker).of(LINE).size())
                    .as("jobs of %s", worker)
                    .isBetween(LINE.size() / 8, LINE.size() / 2);
        }
    }

    @Test
    void the_jobs_of_a_worker_are_neighbours() {
        Set<JobId> ours = new HashSet<>(stretches("a").of(LINE));
        long edges = IntStream.range(1, LINE.size())
                .filter(n -> ours.contains(LINE.get(n)) != ours.contains(LINE.get(n - 1)))
                .count();
        assertThat(edges).isLessThan(ours.size() / 10);
    }

    @Test
    void a_line_that_is_read_in_pieces_is_shared_the_same() {
        Segments inPieces = stretches("a");
        List<JobId> ours = new ArrayList<>();
        for (int from = 0; from < LINE.size(); from += 70) {
            ours.addAll(inPieces.of(LINE.subList(from, Math.min(from + 70, LINE.size()))));
        }
        assertThat(ours).isEqualTo(stretches("a").of(LINE));
    }

    @Test
    void when_a_job_is_gone_the_others_keep_their_workers_except_for_its_stretch() {
        Map<JobId, String> before = owners(LINE);
        for (int gone = 0; gone < LINE.size(); gone += 97) {
            List<JobId> left = new ArrayList<>(LINE);
            left.remove(gone);
            Map<JobId, String> now = owners(left);
            assertThat(left.stream().filter(id -> !now.get(id).equals(before.get(id))))
                    .as("moved when %s was gone", LINE.get(gone))
                    .hasSizeLessThan(1_000);
        }
    }

    @Test
    void a_lone_worker_has_all_jobs() {
        assertThat(new Segments(new WorkerRanking("a", Site.UNNAMED), "email").of(LINE))
                .isEqualTo(LINE);
    }

    private static Map<JobId, String> owners(List<JobId> line) {
        Map<JobId, String> owners = new HashMap<>();
        WORKERS.forEach(worker -> stretches(worker).of(line).forEach(id -> owners.put(id, worker)));
        return owners;
    }

    private static Segments stretches(String self) {
        WorkerRanking ranking = new WorkerRanking(self, Site.UNNAMED);
        WORKERS.stream()
                .filter(worker -> !worker.equals(self))
                .forEach(worker -> ranking.changed(registered(worker), 0));
        return new Segments(ranking, "email");
    }

    private static FeedEvent registered(String worker) {
        return new FeedEvent("worker:" + worker, "1-a", false, Jobs.json("{'types':['email']}"), false);
    }
}
