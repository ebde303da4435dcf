package io.couchjobs.engine.alarm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.couchjobs.JobQueue;
import io.couchjobs.admin.Alarms;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.history.HistoryOfWorkers;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.WorkerInfo;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.TypeCounts;
import io.couchjobs.type.TypeSettings;
import io.couchjobs.worker.RunReport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is wrong for some looks is told once, and told when it is over. */
@ServerTest
@Timeout(120)
class AlarmsTest {
    private static final Instant BEGIN = Instant.parse("2026-03-01T10:00:05Z");
    private static final Duration PAUSE = Duration.ofSeconds(30);

    private final Map<String, TypeCounts> counts = new TreeMap<>();
    private final Map<String, TypeSettings> settings = new TreeMap<>();
    private final List<WorkerInfo> workers = new ArrayList<>();
    private final List<String> conflicts = new ArrayList<>();
    private final List<Alarms.Alarm> told = new ArrayList<>();
    private final List<HttpServer> hooks = new ArrayList<>();
    private JobQueue queue;
    private HistoryOfWorkers history;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
        history = new HistoryOfWorkers(queue, BEGIN);
    }

    @AfterEach
    void close() {
        hooks.forEach(server -> server.stop(0));
        history.close();
        queue.close();
    }

    private QueueAlarms alarms() {
        return new QueueAlarms(history.parts(), facts(), new OpenAlarms()).tell(told::add);
    }

    private Facts facts() {
        return new Facts(() -> counts, () -> settings, () -> workers, () -> conflicts, history.history());
    }

    private void look(AlarmWatch watch, int times) throws InterruptedException {
        for (int i = 0; i < times; i++) {
            watch.look();
            history.pass(PAUSE);
        }
    }

    private static TypeCounts waiting(long jobs, Instant oldest) {
        return new TypeCounts(Map.of(JobStatus.WAITING, jobs), oldest);
    }

    @Test
    void an_alarm_is_raised_by_three_looks_in_a_row_and_ends_by_three() throws Exception {
        AlarmWatch watch = alarms().conflicts(1).watch();
        conflicts.addAll(List.of("job:a:1", "job:a:2"));
        look(watch, 2);
        assertThat(told).isEmpty();

        look(watch, 5);
        assertThat(told).hasSize(1);
        Alarms.Alarm raised = told.get(0);
        assertThat(raised.raised()).isTrue();
        assertThat(raised.rule()).isEqualTo("conflicts");
        assertThat(raised.finding()).isEqualTo("2 documents have conflicts: job:a:1, job:a:2");
        assertThat(raised.at()).isEqualTo(BEGIN.plus(PAUSE.multipliedBy(2)));

        conflicts.clear();
        look(watch, 2);
        assertThat(told).hasSize(1);
        look(watch, 5);
        assertThat(told).hasSize(2);
        assertThat(told.get(1).raised()).isFalse();
        assertThat(told.get(1).since()).isEqualTo(raised.at());
    }

    @Test
    void what_comes_and_goes_raises_no_alarm_and_ends_none() throws Exception {
        AlarmWatch watch = alarms().conflicts(0).watch();
        for (int i = 0; i < 6; i++) {
            conflicts.add("job:a:1");
            look(watch, 2);
            conflicts.clear();
            look(watch, 1);
        }
        assertThat(told).isEmpty();

        conflicts.add("job:a:1");
        look(watch, 3);
        for (int i = 0; i < 6; i++) {
            conflicts.clear();
            look(watch, 2);
            conflicts.add("job:a:1");
            look(watch, 1);
        }
        assertThat(told).hasSize(1);
    }

    @Test
    void jobs_that_have_been_due_for_long_raise_an_alarm_for_their_type_unless_it_is_paused() throws Exception {
        settings.put("paused", TypeSettings.none("paused").withPaused(true));
        for (String type : List.of("email", "paused")) {
            counts.put(type, waiting(3, BEGIN.minus(Duration.ofMinutes(6))));
        }
        counts.put("later", waiting(3, BEGIN.minus(Duration.ofMinutes(3))));

        look(alarms().oldestDue(Duration.ofMinutes(5)).looks(1).watch(), 1);

        assertThat(told).extracting(Alarms.Alarm::subject).containsExactly("email");
        assertThat(told.get(0).finding()).isEqualTo("a job has been due for 360 s, more than 300 s");
    }

    @Test
    void a_type_of_which_many_runs_failed_raises_an_alarm_but_not_one_with_few_runs() throws Exception {
        for (int i = 0; i < 20; i++) {
            history.run("w", "email", i < 5 ? RunReport.Outcome.FAILED : RunReport.Outcome.SUCCEEDED, PAUSE);
            history.run("w", "fine", i < 4 ? RunReport.Outcome.RETRIED : RunReport.Outcome.SUCCEEDED, PAUSE);
        }
        history.run("w", "rare", RunReport.Outcome.FAILED, PAUSE);
        history.close("w");
        history.pass(Duration.ofMinutes(1));
        AlarmWatch watch = alarms().failureRate(0.2).looks(1).watch();

        look(watch, 1);
        assertThat(told).extracting(Alarms.Alarm::subject).containsExactly("email");
        assertThat(told.get(0).finding()).isEqualTo("5 of 20 runs failed in the last ten minutes");

        history.pass(Duration.ofMinutes(12));
        look(watch, 1);
        assertThat(told).extracting(Alarms.Alarm::raised).containsExactly(true, false);
    }

    @Test
    void workers_that_are_silent_raise_an_alarm() throws Exception {
        WorkerInfo.Registered living =
                new WorkerInfo.Registered(BEGIN, BEGIN, 1, List.of("email"), Duration.ofMinutes(5));
        WorkerInfo.Registered dead = new WorkerInfo.Registered(
                BEGIN.minus(Duration.ofHours(1)), BEGIN, 1, List.of("email"), Duration.ofMinutes(5));
        workers.add(new WorkerInfo("living", living, List.of()));
        workers.add(new WorkerInfo("dead", dead, List.of()));

        look(alarms().silentWorkers().looks(1).watch(), 1);

        assertThat(told).extracting(Alarms.Alarm::finding).containsExactly("1 workers give no sign of life: dead");
    }

    @Test
    void many_more_jobs_than_ten_minutes_ago_raise_an_alarm() throws Exception {
        AlarmWatch watch = alarms().growth(100).looks(1).watch();
        for (int minute = 0; minute < 30; minute++) {
            counts.put("slowly", waiting(1000L + minute * 10L, BEGIN));
            counts.put("quickly", waiting(minute < 12 ? 0 : (minute - 12) * 12L, BEGIN));
            watch.look();
            history.pass(Duration.ofMinutes(1));
        }

        assertThat(told).extracting(Alarms.Alarm::subject).containsExactly("quickly");
        assertThat(told.get(0).finding()).isEqualTo("108 jobs wait, 108 more than ten minutes ago");
    }

    @Test
    void growth_is_not_told_to_be_over_by_a_process_that_has_just_begun_to_look() throws Exception {
        AlarmWatch one = alarms().growth(100).looks(1).command(List.of("true")).watch();
        AlarmWatch other =
                alarms().growth(100).looks(1).command(List.of("true")).watch();
        lookWhileJobsGrow(one, 0, 12);
        assertThat(told).extracting(Alarms.Alarm::raised).containsExactly(true);

        lookWhileJobsGrow(other, 12, 30);
        assertThat(told).hasSize(1);

        counts.put("quickly", waiting(0, BEGIN));
        other.look();
        assertThat(told).extracting(Alarms.Alarm::raised).containsExactly(true, false);
    }

    @Test
    void growth_is_not_measured_from_a_time_when_another_process_looked() throws Exception {
        AlarmWatch one = alarms().growth(100).looks(1).command(List.of("true")).watch();
        AlarmWatch other =
                alarms().growth(100).looks(1).command(List.of("true")).watch();
        counts.put("slowly", waiting(0, BEGIN));
        one.look();
        history.pass(Duration.ofMinutes(3));
        for (int minute = 0; minute < 60; minute++) {
            counts.put("slowly", waiting(minute * 5L, BEGIN));
            other.look();
            one.look();
            history.pass(Duration.ofMinutes(1));
        }
        history.pass(Duration.ofMinutes(3));
        one.look();
        assertThat(told).isEmpty();
    }

    private void lookWhileJobsGrow(AlarmWatch watch, int from, int to) throws InterruptedException {
        for (int minute = from; minute < to; minute++) {
            counts.put("quickly", waiting(minute * 12L, BEGIN));
            watch.look();
            history.pass(Duration.ofMinutes(1));
        }
    }

    @Test
    void of_several_processes_with_the_same_rules_one_tells_and_another_goes_on_when_it_is_gone() throws Exception {
        AlarmWatch one = alarms().conflicts(0).command(List.of("true")).watch();
        AlarmWatch other = alarms().conflicts(0).command(List.of("true")).watch();
        conflicts.add("job:a:1");
        for (int i = 0; i < 4; i++) {
            one.look();
            look(other, 1);
        }
        assertThat(told).hasSize(1);

        history.pass(PAUSE.multipliedBy(4));
        conflicts.clear();
        look(other, 4);

        assertThat(told).extracting(Alarms.Alarm::raised).containsExactly(true, false);
        assertThat(told.get(1).since()).isEqualTo(told.get(0).at());
    }

    @Test
    void listeners_in_several_processes_are_told_each() throws Exception {
        AlarmWatch one = alarms().conflicts(0).looks(1).watch();
        AlarmWatch other = alarms().conflicts(0).looks(1).watch();
        conflicts.add("job:a:1");
        look(one, 2);
        look(other, 2);
        assertThat(told).hasSize(2);
    }

    @Test
    void nothing_is_written_most_of_the_time_while_all_is_well() throws Exception {
        AlarmWatch watch = alarms().conflicts(0).command(List.of("true")).watch();
        look(watch, 8);
        assertThat(document().path("_rev").asText()).startsWith("4-");
    }

    @Test
    void a_listener_that_fails_is_told_again_and_keeps_no_other_from_hearing() throws Exception {
        List<String> heard = new ArrayList<>();
        QueueAlarms alarms = alarms().conflicts(0).looks(1).tell(alarm -> {
            heard.add(alarm.rule());
            if (heard.size() == 1) {
                throw new IllegalStateException("not now");
            }
        });
        AlarmWatch watch = alarms.watch();
        conflicts.add("job:a:1");

        look(watch, 3);

        assertThat(heard).containsExactly("conflicts", "conflicts");
        assertThat(told).hasSize(1);
    }

    @Test
    void an_alarm_that_nobody_could_be_told_is_told_by_the_next_process() throws Exception {
        AlarmWatch one = alarms().conflicts(0)
                .looks(1)
                .command(List.of("true"))
                .tell(alarm -> {
                    throw new IllegalStateException("away");
                })
                .watch();
        conflicts.add("job:a:1");
        look(one, 2);
        assertThat(told).hasSize(1);
        assertThat(raisedInDocument().path("told").asBoolean(true)).isFalse();

        AlarmWatch next =
                alarms().conflicts(0).looks(1).command(List.of("true")).watch();
        history.pass(PAUSE.multipliedBy(4));
        look(next, 2);

        assertThat(told).extracting(Alarms.Alarm::raised).containsExactly(true, true);
        assertThat(told.get(1).since()).isEqualTo(told.get(0).at());
        assertThat(raisedInDocument().has("told")).isFalse();
    }

    @Test
    void an_alarm_that_was_told_is_not_told_by_the_next_process() throws Exception {
        AlarmWatch one = alarms().conflicts(0).looks(1).command(List.of("true")).watch();
        conflicts.add("job:a:1");
        look(one, 1);
        history.pass(PAUSE.multipliedBy(4));
        look(alarms().conflicts(0).looks(1).command(List.of("true")).watch(), 2);
        assertThat(told).hasSize(1);
    }

    private JsonNode raisedInDocument() {
        return document().path("open").path("conflicts");
    }

    @Test
    void a_webhook_gets_json_and_gets_it_again_when_it_answered_an_error() throws Exception {
        Queue<byte[]> bodies = new ConcurrentLinkedQueue<>();
        URI url = hook(exchange -> {
            bodies.add(exchange.getRequestBody().readAllBytes());
            exchange.sendResponseHeaders(bodies.size() == 1 ? 503 : 204, -1);
            exchange.close();
        });
        AlarmWatch watch = alarms().conflicts(0).looks(1).webhook(url).watch();
        conflicts.add("job:a:1");

        look(watch, 3);

        assertThat(bodies).hasSize(2);
        JsonNode json = new ObjectMapper().readTree(bodies.remove());
        assertThat(json).isEqualTo(new ObjectMapper().readTree(bodies.remove()));
        assertThat(json.path("alarm").asText()).isEqualTo("conflicts");
        assertThat(json.path("raised").asBoolean()).isTrue();
        assertThat(json.path("text").asText())
                .isEqualTo("couchjobs " + queue.database().name() + ": conflicts: 1 documents have conflicts: job:a:1");
    }

    @Test
    void a_webhook_that_answers_with_another_place_was_not_told() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        URI url = hook(exchange -> {
            boolean isAlarm = exchange.getRequestURI().getPath().equals("/alarm");
            asked.addAndGet(isAlarm ? 1 : 0);
            exchange.getResponseHeaders().add("Location", "/login");
            exchange.sendResponseHeaders(isAlarm ? 302 : 200, -1);
            exchange.close();
        });
        AlarmWatch watch = alarms().conflicts(0).looks(1).webhook(url).watch();
        conflicts.add("job:a:1");

        look(watch, 3);

        assertThat(asked).hasValue(3);
        assertThat(raisedInDocument().path("told").asBoolean(true)).isFalse();
    }

    /** A web server that ends with the test. */
    private URI hook(HttpHandler handler) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", handler);
        server.start();
        hooks.add(server);
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/alarm");
    }

    @Test
    void a_listener_that_ends_by_an_error_does_not_keep_others_from_being_told() throws Exception {
        AtomicInteger failed = new AtomicInteger();
        QueueAlarms alarms = new QueueAlarms(history.parts(), facts(), new OpenAlarms()).tell(alarm -> {
            failed.incrementAndGet();
            throw new AssertionError("a bug");
        });
        AlarmWatch watch = alarms.tell(told::add).conflicts(0).looks(1).watch();
        conflicts.add("job:a:1");

        look(watch, 2);

        assertThat(told).hasSize(1);
        assertThat(failed).hasValue(2);
    }

    @Test
    void a_command_that_is_broken_off_ends_with_all_that_it_started(@TempDir Path folder) throws Exception {
        Path pid = folder.resolve("pid");
        AlarmWatch watch = alarms().conflicts(0)
                .looks(1)
                .command(List.of(
                        "sh",
                        "-c",
                        "sleep 300 & echo $! > '" + pid + ".new'; mv '" + pid + ".new' '" + pid + "'; wait"))
                .watch();
        conflicts.add("job:a:1");
        FutureTask<Void> looking = new FutureTask<>(() -> {
            look(watch, 1);
            return null;
        });
        Thread thread = new Thread(looking);
        thread.start();
        TestQueue.until(() -> Files.exists(pid));
        ProcessHandle child =
                ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).orElseThrow();

        thread.interrupt();

        child.onExit().get(TestQueue.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThatThrownBy(looking::get).hasCauseInstanceOf(InterruptedException.class);
    }

    @Test
    void a_command_gets_json_and_variables(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("alarm");
        List<String> command =
                List.of("sh", "-c", "echo $COUCHJOBS_ALARM $COUCHJOBS_RAISED > '" + file + "'; cat >> '" + file + "'");
        AlarmWatch watch = alarms().conflicts(0).looks(1).command(command).watch();
        conflicts.add("job:a:1");

        look(watch, 1);

        List<String> lines = Files.readAllLines(file);
        assertThat(lines.get(0)).isEqualTo("conflicts true");
        assertThat(new ObjectMapper().readTree(lines.get(1)).path("finding").asText())
                .isEqualTo("1 documents have conflicts: job:a:1");
    }

    @Test
    void rules_that_make_no_sense_are_refused() {
        assertThatIllegalArgumentException().isThrownBy(() -> alarms().oldestDue(Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> alarms().failureRate(1));
        assertThatIllegalArgumentException().isThrownBy(() -> alarms().growth(0));
        assertThatIllegalArgumentException().isThrownBy(() -> alarms().conflicts(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> alarms().every(Duration.ofMillis(999)));
        assertThatIllegalArgumentException().isThrownBy(() -> alarms().looks(0));
        assertThatIllegalArgumentException().isThrownBy(() -> alarms().webhook(URI.create("ftp://example.org/")));
        assertThatIllegalArgumentException().isThrownBy(() -> alarms().command(List.of()));
    }

    private JsonNode document() {
        return queue.database()
                .view(ViewQuery.allDocs()
                        .startKey("stats:alarm:")
                        .endKey("stats:alarm;")
                        .includeDocs(true))
                .rows()
                .get(0)
                .doc();
    }
}
