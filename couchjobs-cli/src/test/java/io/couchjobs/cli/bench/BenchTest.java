package io.couchjobs.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.embedded.EmbeddedCouch;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BenchTest {
    @Test
    void a_figure_that_fails_keeps_neither_the_others_from_being_measured_nor_the_databases_from_being_deleted()
            throws InterruptedException {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().port(0).start()) {
            List<String> said = new ArrayList<>();
            Plan plan = new Plan(
                    EnumSet.of(Figure.ENQUEUE_BULK, Figure.DRAIN, Figure.WAKEUP),
                    1,
                    10,
                    0,
                    1,
                    1,
                    1,
                    1,
                    1,
                    1,
                    Duration.ofMillis(1));

            Results results;
            try (Bench bench = new Bench(place(couch, said, "no-such-command"), plan)) {
                results = bench.run();
            }

            ObjectNode json = results.json();
            assertThat(json.path("enqueue_bulk").path("of_limit").asDouble()).isPositive();
            assertThat(json.path("drain").path("error").asText()).contains("worker process");
            assertThat(json.path("wakeup").path("error").asText()).contains("worker process");
            assertThat(results.isComplete()).isFalse();
            assertThat(said).hasSize(2).allMatch(line -> line.contains("cannot measure"));
            assertThat(databases(couch)).noneMatch(name -> name.startsWith(OwnDatabases.PREFIX));
        }
    }

    @Test
    void a_closed_set_of_databases_creates_no_database_any_more() {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().port(0).start()) {
            OwnDatabases databases = new OwnDatabases(place(couch, new ArrayList<>(), "bench-worker"));
            databases.create();
            databases.close();

            assertThatIllegalStateException().isThrownBy(databases::create);
            assertThat(databases(couch)).noneMatch(name -> name.startsWith(OwnDatabases.PREFIX));
        }
    }

    @Test
    void the_servers_processor_time_is_found_by_its_port() {
        assumeTrue(Files.isReadable(Path.of("/proc/net/tcp")), "there is no /proc");
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().port(0).start()) {
            ServerCpu server = ServerCpu.of(place(couch, new ArrayList<>(), "bench-worker"));
            OptionalDouble before = server.millis();

            assertThat(before).isPresent();
            long spent = 0;
            while (server.since(before, 1).orElseThrow() < 20) {
                spent += couch.url().toString().repeat(1_000).length();
            }
            assertThat(spent).isNotNegative();
        }
    }

    @Test
    void the_processor_time_of_a_server_elsewhere_is_not_told() {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().port(0).start()) {
            Place here = place(couch, new ArrayList<>(), "bench-worker");
            Place elsewhere = new Place(
                    URI.create("http://couch.example.org:" + couch.url().getPort()),
                    here.server(),
                    here.queue(),
                    here.worker(),
                    here.environment(),
                    here.launcher(),
                    here.say(),
                    here.progress());

            ServerCpu server = ServerCpu.of(elsewhere);

            assertThat(server.millis()).isEmpty();
            assertThat(server.since(server.millis(), 1)).isEmpty();
        }
    }

    @Test
    void the_median_the_percentiles_and_the_extremes_of_samples_are_told() {
        Samples samples = Samples.of(5, 1, 3, 100);

        assertThat(samples.median()).isEqualTo(4);
        assertThat(samples.percentile(99)).isEqualTo(100);
        assertThat(samples.percentile(50)).isEqualTo(3);
        assertThat(samples.least()).isEqualTo(1);
        assertThat(samples.greatest()).isEqualTo(100);
        assertThat(Samples.of(5, 1, 3).median()).isEqualTo(3);
    }

    private static Place place(EmbeddedCouch couch, List<String> said, String workerCommand) {
        return new Place(
                couch.url(),
                () -> CouchServer.connect(CouchConfig.builder(couch.url()).build()),
                name -> JobQueue.builder(couch.url().resolve("/" + name))
                        .renewLeases(false)
                        .createIfMissing(false)
                        .open(),
                List.of(workerCommand),
                Map.of(),
                Optional.empty(),
                said::add,
                text -> {});
    }

    private static List<String> databases(EmbeddedCouch couch) {
        try (CouchServer server =
                CouchServer.connect(CouchConfig.builder(couch.url()).build())) {
            return server.databases();
        }
    }
}
