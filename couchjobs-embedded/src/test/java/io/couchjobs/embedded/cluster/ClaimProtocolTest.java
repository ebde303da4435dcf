package io.couchjobs.embedded.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Doc;
import io.couchjobs.embedded.store.Edit;
import io.couchjobs.embedded.tree.Revision;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a claimer may take for ownership: workers that meet at the same jobs, one at each node of a healthy cluster. */
class ClaimProtocolTest {
    private static final int JOBS = 20;
    private static final int SEEDS = 20;
    private static final long MEETING = 100_000;

    /** When a claimer believes that a job is its own. */
    private enum Protocol {
        ANY_SUCCESS,
        ANY_SUCCESS_AND_SEEN_BY_READING,
        ONLY_201
    }

    /** One seed's life: how many workers took each job for theirs. */
    private static final class Play {
        private final VirtualTime time = new VirtualTime();
        private final Stage stage = new Stage(time);
        private final Map<String, Integer> owners = new HashMap<>();
        private final Protocol protocol;
        private final Random random;

        Play(Protocol protocol, long seed) {
            this.protocol = protocol;
            this.random = new Random(seed);
        }

        Map<String, Integer> run() {
            Delays delays = new RandomDelays(random.nextLong(), RandomDelays.Means.COUCHDB_3_5);
            try (Cluster cluster = new Cluster(time, delays, Cluster.Settings.DEFAULTS)) {
                stage.play("creator", () -> create(cluster.node(0)));
                for (int number = 0; number < 3; number++) {
                    Coordinator node = cluster.node(number);
                    String name = "worker " + number;
                    stage.play(name, () -> work(node, name));
                }
                time.pass(Duration.ofMinutes(1));
            }
            return owners;
        }

        private void create(Coordinator node) {
            for (int job = 0; job < JOBS; job++) {
                write(node, "job" + job, List.of(), "nobody");
            }
        }

        private void work(Coordinator node, String worker) {
            for (int job = 0; job < JOBS; job++) {
                long meeting = 10_000_000 + job * MEETING + random.nextInt(1_500);
                stage.sleep(meeting - time.now());
                if (isMine(node, "job" + job, worker)) {
                    owners.merge("job" + job, 1, Integer::sum);
                }
            }
        }

        private boolean isMine(Coordinator node, String job, String worker) {
            Doc seen = node.own(job).orElseThrow();
            if (!owner(seen).equals("nobody")) {
                return false;
            }
            int status = write(node, job, List.of(seen.rev()), worker).status();
            return switch (protocol) {
                case ANY_SUCCESS -> status < 300;
                case ANY_SUCCESS_AND_SEEN_BY_READING -> status < 300 && isSeen(node, job, worker);
                case ONLY_201 -> status == 201;
            };
        }

        private boolean isSeen(Coordinator node, String job, String worker) {
            Optional<Doc> read = stage.ask(answer -> node.read(job, answer));
            return owner(read.orElseThrow()).equals(worker);
        }

        private WriteRow write(Coordinator node, String job, List<Revision> base, String owner) {
            Edit edit = new Edit(job, base, false, Json.object().put("owner", owner));
            return stage.ask(answer -> node.write(
                    List.of(edit), written -> answer.accept(written.rows().get(0))));
        }

        private static String owner(Doc doc) {
            return doc.body().path("owner").asText();
        }
    }

    /** {@return how many of all jobs of all seeds so many workers took for theirs} */
    private static Map<Integer, Integer> owners(Protocol protocol) {
        Map<Integer, Integer> counts = new HashMap<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            Map<String, Integer> owners = new Play(protocol, seed).run();
            for (int job = 0; job < JOBS; job++) {
                counts.merge(owners.getOrDefault("job" + job, 0), 1, Integer::sum);
            }
        }
        System.out.println(protocol + ", jobs by number of owners: " + counts);
        return counts;
    }

    private static int twice(Map<Integer, Integer> owners) {
        return owners.entrySet().stream()
                .filter(entry -> entry.getKey() > 1)
                .mapToInt(Map.Entry::getValue)
                .sum();
    }

    @ParameterizedTest
    @EnumSource(
            value = Protocol.class,
            names = {"ANY_SUCCESS", "ANY_SUCCESS_AND_SEEN_BY_READING"})
    void some_jobs_have_two_owners_when_a_202_can_make_one(Protocol protocol) {
        assertThat(twice(owners(protocol))).isPositive();
    }

    @Test
    void no_job_has_two_owners_when_only_a_201_makes_one() {
        Map<Integer, Integer> owners = owners(Protocol.ONLY_201);
        assertThat(twice(owners)).isZero();
        assertThat(owners.get(1)).isGreaterThan(JOBS * SEEDS / 2);
    }
}
