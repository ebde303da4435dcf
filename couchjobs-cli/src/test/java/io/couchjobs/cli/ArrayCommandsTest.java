package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.couchjobs.JobArrays;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.After;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.Worker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@ServerTest
@Timeout(120)
class ArrayCommandsTest {
    private static final JobId CRAWL = new JobId("page", "crawl");
    private static final JsonMapper MAPPER = new JsonMapper();

    @TempDir
    private Path folder;

    private TestDatabase database;
    private JobQueue queue;

    @BeforeEach
    void open(TestDatabase fresh) {
        database = fresh;
        queue = TestShell.queue(fresh);
        queue.operations().init();
    }

    @AfterEach
    void close() {
        queue.close();
    }

    private TestShell shell() {
        return TestShell.at(database);
    }

    private String file(String text) throws Exception {
        return Files.writeString(folder.resolve("items"), text).toString();
    }

    private void addFiveItemsInThreeChunks() throws Exception {
        shell().run(
                        "enqueue",
                        "page",
                        "--array",
                        "crawl",
                        "--chunk",
                        "2",
                        "--from",
                        file(lines(5)),
                        "--format",
                        "lines");
    }

    private static String lines(int count) {
        return IntStream.range(0, count).mapToObj(line -> "page " + line + "\n").collect(Collectors.joining());
    }

    @Test
    void the_lines_of_a_file_become_items_and_the_same_call_adds_nothing_twice() throws Exception {
        String file = file(lines(25));

        assertThat(shell().done(
                                "enqueue",
                                "page",
                                "--array",
                                "crawl",
                                "--from",
                                file,
                                "--format",
                                "lines",
                                "--chunk",
                                "10",
                                "-o",
                                "json")
                        .json())
                .isEqualTo(MAPPER.readTree("{\"array\":\"crawl\",\"items\":25,\"chunks\":3}"));
        assertThat(shell().done(
                                "enqueue",
                                "page",
                                "--array",
                                "crawl",
                                "--from",
                                file,
                                "--format",
                                "lines",
                                "--chunk",
                                "10")
                        .out())
                .isEqualTo("page:crawl: 25 items in 3 chunks, 0 of them added now\n");
        assertThat(queue.arrays().get(CRAWL).orElseThrow().waiting()).isEqualTo(25);
    }

    @Test
    void an_array_shows_how_far_it_is_and_the_errors_of_its_items() throws Exception {
        shell().done(
                        "enqueue",
                        "page",
                        "--array",
                        "crawl",
                        "--from",
                        file("{\"data\": {\"n\": 1}}\n{\"data\": {\"n\": 2}}\n"),
                        "--max-retries",
                        "0");
        shell().run("work", "page", "--until-empty", "--", "grep", "-q", "1");

        assertThat(shell().done("inspect", "page", "--array", "crawl", "-o", "json")
                        .json())
                .hasToString(
                        "{\"array\":\"crawl\",\"items\":2,\"succeeded\":1,\"failed\":1,\"waiting\":0,\"running\":0,\"chunks\":1,"
                                + "\"errors\":[{\"item\":1,\"message\":\"exit code 1\"}]}");
    }

    @Test
    void options_that_do_not_fit_together_are_refused_before_anything_is_sent() throws Exception {
        shell().usage("--array needs --from", "enqueue", "page", "--array", "crawl");
        shell().usage("--array adds items", "enqueue", "page", "7", "--array", "crawl", "--from", "-");
        shell().usage("--chunk needs --array", "enqueue", "page", "--chunk", "5");
        shell().usage(
                        "--chunk must be from 1 to 10000, not 0",
                        "enqueue",
                        "page",
                        "--array",
                        "crawl",
                        "--chunk",
                        "0",
                        "--from",
                        file(""));
        shell().usage("inspect needs either the ID of a job or --array", "inspect", "page");
    }

    @Test
    void a_bad_line_is_named_and_adding_the_mended_file_goes_on() throws Exception {
        TestShell.Said bad =
                shell().run("enqueue", "page", "--array", "crawl", "--from", file("{\"data\": {}}\n{oops\n"));

        assertThat(bad.exitCode()).isEqualTo(1);
        assertThat(bad.err()).contains("line 2: ");
    }

    @Test
    void a_line_that_gives_an_item_more_than_data_is_named_with_the_field() throws Exception {
        for (String field : List.of("\"id\":\"7\"", "\"priority\":9")) {
            TestShell.Said bad = shell().run(
                            "enqueue",
                            "page",
                            "--array",
                            "crawl",
                            "--from",
                            file("{\"data\":{}}\n{\"data\":{}," + field + "}\n"));

            assertThat(bad.exitCode()).isEqualTo(1);
            assertThat(bad.err()).contains("line 2: an item of an array has data only, and no " + field.split("\"")[1]);
        }
    }

    @Test
    void a_command_acts_on_all_jobs_of_an_array_or_on_those_of_a_status() throws Exception {
        shell().done(
                        "enqueue",
                        "page",
                        "--array",
                        "crawl",
                        "--chunk",
                        "1",
                        "--from",
                        file("{\"data\": {\"n\": 1}}\n{\"data\": {\"n\": 2}}\n"));
        shell().done("cancel", "page", "crawl:000002");

        assertThat(changed("retry", "--status", "cancelled")).isEqualTo(1);
        assertThat(changed("cancel")).isEqualTo(2);
        assertThat(queue.arrays().chunks(CRAWL)).hasSize(2).allMatch(job -> job.status() == JobStatus.CANCELLED);
    }

    private int changed(String command, String... options) {
        List<String> line = new ArrayList<>(List.of(command, "page", "--array", "crawl", "--yes", "-o", "json"));
        line.addAll(List.of(options));
        return shell().done(line.toArray(String[]::new)).json().path("changed").asInt();
    }

    @Test
    void to_act_on_an_array_takes_its_type_and_id_alone() {
        shell().usage("Give TYPE and --array ID", "cancel", "page", "1", "--array", "crawl");
        shell().usage("Give TYPE and --array ID", "cancel", "--array", "crawl");
        TestShell.Said none = shell().run("cancel", "page", "--array", "crawl", "--yes");
        assertThat(none.exitCode()).isEqualTo(3);
        assertThat(none.err()).isEqualTo("couchjobs: no such array: page:crawl\n");
    }

    @Test
    void to_act_on_an_array_asks_first() throws Exception {
        addFiveItemsInThreeChunks();
        shell().usage("add --yes", "remove", "page", "--array", "crawl");

        TestShell.Said refused = shell().input("n\n")
                .terminals(new Shell.Terminals(true, false, true))
                .run("remove", "page", "--array", "crawl");
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err()).isEqualTo("couchjobs: remove 3 jobs? [y/N] couchjobs: nothing done\n");
        assertThat(queue.arrays().chunks(CRAWL)).hasSize(3);

        shell().withPersonWhoSaysYes().done("remove", "page", "--array", "crawl");
        assertThat(queue.arrays().chunks(CRAWL)).isEmpty();
    }

    @Test
    void a_job_waits_for_all_jobs_of_an_array() throws Exception {
        addFiveItemsInThreeChunks();
        assertThat(shell().run(
                                "enqueue",
                                "page",
                                "report",
                                "--data",
                                "{}",
                                "--after-array",
                                "page/crawl",
                                "--after-failure",
                                "run")
                        .exitCode())
                .isZero();

        After after = queue.get("page", "report").orElseThrow().after().orElseThrow();
        assertThat(after.onFailure()).isEqualTo(After.OnFailure.RUN);
        assertThat(after.jobs()).extracting(JobId::id).containsExactly("crawl:000001", "crawl:000002", "crawl:000003");
    }

    @Test
    void an_array_that_is_not_there_cannot_be_waited_for() {
        TestShell.Said said = shell().run("enqueue", "page", "report", "--data", "{}", "--after-array", "page/crawl");
        assertThat(said.exitCode()).isEqualTo(3);
        assertThat(said.err()).contains("no such array: page:crawl");
        TestShell.Said wrong = shell().run("enqueue", "page", "report", "--data", "{}", "--after-array", "crawl");
        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.err()).contains("--after-array takes a type and an id, as in email/42, not \"crawl\"");
    }

    @Test
    void the_jobs_of_an_array_are_listed_in_order() throws Exception {
        addFiveItemsInThreeChunks();
        shell().run("enqueue", "page", "other", "--data", "{}");
        queue.cancel("page", "crawl:000002", CancelMode.REQUEST);

        assertThat(listed("--type", "page", "--array", "crawl"))
                .containsExactly("crawl:000001", "crawl:000002", "crawl:000003");
        assertThat(listed("--type", "page", "--array", "crawl", "--status", "cancelled"))
                .containsExactly("crawl:000002");
        assertThat(shell().run("list", "--array", "crawl").exitCode()).isEqualTo(2);
        assertThat(shell().run("list", "--type", "page", "--array", "crawl", "--site", "here")
                        .exitCode())
                .isEqualTo(2);
    }

    private List<String> listed(String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of("list", "-o", "ndjson"));
        command.addAll(List.of(options));
        List<String> ids = new ArrayList<>();
        for (String line :
                shell().run(command.toArray(new String[0])).out().lines().toList()) {
            ids.add(MAPPER.readTree(line).path("id").asText());
        }
        return ids;
    }

    @Test
    void an_array_comes_back_from_an_export_as_it_was() throws Exception {
        addFiveItemsInThreeChunks();
        try (Worker worker = queue.worker()
                .handler("page", (page, context) -> {
                    if (context.item().getAsLong() == 3) {
                        throw new PermanentJobException("no such page");
                    }
                    return context.item().getAsLong();
                })
                .start()) {
            for (JobId chunk : queue.arrays().jobs(CRAWL)) {
                assertThat(queue.awaitFinished(chunk, Duration.ofSeconds(60))).isPresent();
            }
            while (worker.stats().failed() != 1) { // counted after the end was written
                assertThat(Thread.currentThread().isInterrupted()).isFalse();
                LockSupport.parkNanos(2_000_000);
            }
        }
        List<JobArrays.Item> before = queue.arrays().items(CRAWL).toList();
        String export = shell().run("export").out();
        shell().run("remove", "--type", "page", "--all", "--yes");
        assertThat(queue.arrays().get(CRAWL)).isEmpty();

        TestShell importing = shell();
        importing.input(export);
        assertThat(importing.run("import", "-").exitCode()).isZero();
        assertThat(queue.arrays().items(CRAWL).toList()).isEqualTo(before).hasSize(5);
    }
}
