package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@ServerTest
@Timeout(120)
class SitesCommandsTest {
    private TestShell shell;

    @BeforeEach
    void queue(TestDatabase database) {
        shell = TestShell.at(database);
    }

    @Test
    void a_database_gets_a_name_keeps_it_and_can_lose_it() {
        assertThat(done("init").out()).doesNotContain("site");
        assertThat(done("init", "--site", "munich", "--home").out())
                .contains("it is the site munich, and runs jobs without");
        assertThat(done("init", "-o", "json").json().path("site").asText()).isEqualTo("munich");
        assertThat(done("init", "--site", "munich").out()).endsWith("it is the site munich" + System.lineSeparator());
        assertThat(done("init", "--site", "", "-o", "json").json().path("site").isNull())
                .isTrue();
        assertThat(shell.run("init", "--site", "a:b").exitCode()).isEqualTo(2);
        assertThat(shell.run("init", "--home").exitCode()).isEqualTo(2);
        assertThat(shell.run("init", "--site", "", "--home").exitCode()).isEqualTo(2);
    }

    @Test
    void a_site_name_for_a_database_with_jobs_is_answered_with_the_number_of_jobs_without_a_site() {
        done("init");
        done("enqueue", "email", "1");
        done("enqueue", "email", "2", "--in", "1h");
        assertThat(done("init", "--site", "munich", "--home").err()).doesNotContain("carry no site");
        assertThat(done("init").err()).doesNotContain("carry no site");
        assertThat(done("init", "--site", "munich").err()).contains("2 unfinished jobs here carry no site");
        done("enqueue", "email", "3");
        assertThat(done("init", "--site", "munich").err()).contains("2 unfinished jobs");
        assertThat(done("init", "--site", "").err()).doesNotContain("carry no site");
    }

    @Test
    void jobs_are_enqueued_listed_and_run_by_site() {
        done("init", "--site", "munich");
        done("enqueue", "email", "own");
        done("enqueue", "email", "other", "--site", "oslo");
        shell.input("{\"id\":\"third\",\"data\":{},\"site\":\"paris\"}\n");
        done("enqueue", "email", "--from", "-", "--format", "ndjson");
        assertThat(done("list").out()).contains("SITE").contains("munich").contains("oslo");
        assertThat(done("list", "--site", "oslo", "-o", "ndjson").out())
                .contains("\"other\"")
                .hasLineCount(1);
        assertThat(done("inspect", "email", "third").out()).contains("paris");

        work();
        assertThat(status("own")).isEqualTo("success");
        assertThat(status("other")).isEqualTo("waiting");
        work("--site", "oslo");
        assertThat(status("other")).isEqualTo("success");
        assertThat(status("third")).isEqualTo("waiting");

        for (List<String> wrong : List.of(
                List.of("enqueue", "email", "--site", "a:b"),
                List.of("list", "--site", "a b"),
                List.of("work", "email", "--site", "", "--", "true"))) {
            assertThat(shell.run(wrong.toArray(new String[0])).exitCode())
                    .as("%s", wrong)
                    .isEqualTo(2);
        }
    }

    private void work(String... site) {
        String[] all = java.util.stream.Stream.of(
                        List.of("work", "email", "--until-empty"), List.of(site), List.of("--", "true"))
                .flatMap(List::stream)
                .toArray(String[]::new);
        done(all);
    }

    private String status(String id) {
        return done("inspect", "email", id, "-o", "json").json().path("status").asText();
    }

    private TestShell.Said done(String... args) {
        TestShell.Said said = shell.run(args);
        assertThat(said.exitCode()).as(said.err()).isZero();
        return said;
    }
}
