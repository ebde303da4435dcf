package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.CouchExtension;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobRequest;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Tag("server")
@Timeout(120)
@ExtendWith(CouchExtension.class)
class LabelCommandsTest {
    private TestShell shell;

    @BeforeEach
    void queue(TestDatabase database) {
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
    void what_is_wrong_is_named() {
        shell.usage("'colour' is none of", "counts", "--by", "colour");
        shell.usage("exclude each other", "counts", "--by", "group", "--type", "email");
        shell.usage("--limit must be at least 1: 0", "counts", "--by", "group", "--limit", "0");
    }

    private static String counts(int waiting, int cancelled) {
        return "{\"waiting\":" + waiting + ",\"scheduled\":0,\"running\":0,\"stuck\":0,\"success\":0,\"failed\":0,"
                + "\"cancelled\":" + cancelled + "}";
    }
}
