package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@ServerTest
@Timeout(120)
class LabelCommandsTest {
    private TestDatabase database;
    private TestShell shell;

    @BeforeEach
    void queue(TestDatabase given) {
        database = given;
        shell = TestShell.at(database);
        shell.done("init");
        try (JobQueue queue = TestShell.queue(database)) {
            queue.add(JobRequest.builder("email")
                    .id("a")
                    .data(Map.of())
                    .group("shop")
                    .jobClass("urgent")
                    .origin("web")
                    .build());
        }
        shell.done("enqueue", "report", "b", "--group", "shop", "--correlation", "order-1");
        shell.done("enqueue", "email", "c", "--group", "forum", "--tag", "red");
        shell.done("cancel", "report", "b");
    }

    @Test
    void jobs_are_counted_by_each_label() {
        assertThat(shell.done("counts", "--by", "group", "-o", "json").json().path("groups"))
                .hasToString("{\"forum\":" + counts(1, 0) + ",\"shop\":" + counts(1, 1) + "}");
        assertThat(shell.done("counts", "--by", "class", "-o", "json").json().path("classes"))
                .hasToString("{\"urgent\":" + counts(1, 0) + "}");
        assertThat(shell.done("counts", "--by", "correlation", "-o", "json")
                        .json()
                        .path("correlations"))
                .hasToString("{\"order-1\":" + counts(0, 1) + "}");
        assertThat(shell.done("counts", "--by", "origin").out())
                .startsWith("ORIGIN")
                .contains("web");
        TestShell.Said some = shell.done("counts", "--by", "group", "--limit", "1");
        assertThat(some.out()).contains("forum").doesNotContain("shop");
        assertThat(some.err()).contains("--limit shows more than 1");
        TestShell.Said all = shell.done("counts", "--by", "group", "--limit", String.valueOf(Integer.MAX_VALUE));
        assertThat(all.out()).contains("forum", "shop");
    }

    @Test
    void jobs_are_listed_since_they_were_created_or_have_ended() throws Exception {
        try (JobQueue queue = TestShell.queue(database)) {
            ObjectNode old = queue.database().get("job:email:c").orElseThrow();
            ((ObjectNode) old.get("times"))
                    .put("created", Instant.now().minus(Duration.ofHours(2)).toEpochMilli());
            queue.database().put(old);
        }
        assertThat(ids("list", "--since", "1h")).containsExactlyInAnyOrder("a", "b");
        assertThat(ids("list", "--since", "3h")).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(ids("list", "--since", "1h", "--group", "forum")).isEmpty();
        assertThat(ids("list", "--since", "1h", "--status", "cancelled")).containsExactly("b");
        assertThat(ids("list", "--since", "0s")).isEmpty();
        assertThat(ids("list", "--since", "3h", "--limit", "1")).hasSize(1);
        TestShell.Said negative = shell.run("list", "--since", "-1h");
        assertThat(negative.exitCode()).isEqualTo(2);
        assertThat(shell.run("list", "--since", "yesterday").err()).contains("--since", "yesterday");
    }

    @Test
    void jobs_are_found_by_what_is_in_their_data() {
        shell.done("enqueue", "email", "d", "--data", "{\"to\":\"ada\",\"order\":{\"number\":42}}");
        shell.done("enqueue", "email", "e", "--data", "{\"to\":\"42\"}");
        assertThat(ids("list", "--where", "/to=ada")).containsExactly("d");
        assertThat(ids("list", "--where", "/order/number=42")).containsExactly("d");
        assertThat(ids("list", "--where", "/to=42", "--since", "1h", "--type", "email"))
                .containsExactly("e");
        assertThat(ids("list", "--where", "/to=ada", "--where", "/order/number=43"))
                .isEmpty();

        shell.done("cancel", "--type", "email", "--where", "/to=ada", "--all", "--yes");
        assertThat(ids("list", "--status", "cancelled", "--type", "email")).containsExactly("d");
    }

    @Test
    void an_empty_value_is_an_empty_text_and_no_field_that_is_missing() {
        shell.done("enqueue", "email", "d", "--data", "{\"to\":\"\"}");
        shell.done("enqueue", "email", "e", "--data", "{\"to\":\" \"}");

        assertThat(ids("list", "--where", "/to=")).containsExactly("d");
        assertThat(ids("list", "--where", "/to= ")).containsExactly("e");
    }

    @Test
    void a_value_with_something_behind_it_is_a_text() {
        shell.done("enqueue", "email", "d", "--data", "{\"n\":1}");
        shell.done("enqueue", "email", "e", "--data", "{\"n\":\"1 2\"}");

        assertThat(ids("list", "--where", "/n=1 2")).containsExactly("e");
    }

    @Test
    void more_jobs_than_a_page_has_are_looked_through() {
        shell.input(IntStream.range(0, 450)
                        .mapToObj(n -> "{\"id\":\"n" + n + "\",\"data\":{\"n\":" + n + "}}\n")
                        .collect(Collectors.joining()))
                .done("enqueue", "page", "--from", "-");
        assertThat(ids("list", "--type", "page", "--where", "/n=7", "--limit", "2"))
                .containsExactly("n7");
    }

    private List<String> ids(String... words) {
        return List.copyOf(shell.done(
                        Stream.concat(Stream.of(words), Stream.of("-o", "json")).toArray(String[]::new))
                .json()
                .findValuesAsText("id"));
    }

    @Test
    void an_origin_is_given_to_a_job() {
        shell.done("enqueue", "email", "d", "--origin", "shop:ada");
        assertThat(shell.done("inspect", "email", "d", "-o", "json")
                        .json()
                        .path("origin")
                        .asText())
                .isEqualTo("shop:ada");
    }

    @Test
    void jobs_are_listed_by_class_and_origin() {
        assertThat(shell.done("list", "--class", "urgent", "-o", "json").json()).hasSize(1);
        assertThat(shell.done("list", "--origin", "web", "--group", "shop", "-o", "json")
                        .json()
                        .get(0)
                        .path("id")
                        .asText())
                .isEqualTo("a");
        assertThat(shell.done("list", "--class", "", "-o", "json").json()).hasSize(2);
        assertThat(shell.done("list", "--origin", "nowhere", "-o", "json").json())
                .isEmpty();
    }

    @Test
    void each_wrong_argument_is_named() {
        shell.usage("'colour' is none of", "counts", "--by", "colour");
        shell.usage("exclude each other", "counts", "--by", "group", "--type", "email");
        shell.usage("not /PATH=VALUE", "list", "--where", "to=ada");
        shell.usage("add --all", "retry", "--where", "/to=ada");
        shell.usage("all jobs of all types?", "retry", "--where", "/to=ada", "--all", "--yes");
        shell.usage("name one job", "retry", "email", "a", "--where", "/to=ada");
        shell.usage("--limit needs --by", "counts", "--limit", "5");
        shell.usage("--limit must be at least 1: 0", "counts", "--by", "group", "--limit", "0");
    }

    private static String counts(int waiting, int cancelled) {
        return "{\"waiting\":" + waiting + ",\"scheduled\":0,\"running\":0,\"stuck\":0,\"success\":0,\"failed\":0,"
                + "\"cancelled\":" + cancelled + "}";
    }
}
