package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ServeCommandTest {
    private final TestShell shell = new TestShell();

    @TempDir
    private Path folder;

    @Test
    void a_queue_is_served_and_kept_in_its_folder() throws Exception {
        serving(url -> {
            assertThat(shell.run("enqueue", "email", "1", "--url", url).exitCode())
                    .isZero();
            assertThat(shell.run("counts", "--url", url).out()).contains("email");
        });
        serving(url -> assertThat(
                        shell.run("inspect", "email", "1", "--url", url).exitCode())
                .isZero());
    }

    @Test
    void a_store_that_is_in_use_is_named_with_the_command_that_shares_it() throws Exception {
        serving(url -> {
            TestShell.Said said = shell.run("counts", "--url", "embedded:" + folder);

            assertThat(said.exitCode()).isEqualTo(1);
            assertThat(said.err())
                    .contains("the store " + folder + " is in use already", "couchjobs serve --dir " + folder)
                    .hasLineCount(1);
        });
    }

    @Test
    void a_job_that_is_added_at_one_node_of_a_simulated_cluster_is_run_at_another() throws Exception {
        try (RunningCommand serve = shell.start("serve", "--port", "0", "--simulate-cluster", "3")) {
            String[] urls = serve.awaitOut(text -> text.lines().count() == 3).split("\n");
            shell.run("enqueue", "email", "1", "--url", urls[0]);
            assertThat(shell.run("work", "email", "--until-empty", "--url", urls[1], "--", "true")
                            .exitCode())
                    .isZero();
            assertThat(shell.run("inspect", "email", "1", "--url", urls[2]).out())
                    .contains("success");
            assertThat(serve.interrupt().exitCode()).isEqualTo(130);
        }
    }

    @Test
    void the_nodes_of_a_simulated_cluster_are_one_JSON_value() throws Exception {
        try (RunningCommand serve = shell.start("serve", "--port", "0", "--simulate-cluster", "3", "-o", "json")) {
            TestShell.Said going = serve.awaitGoing();

            assertThat(going.json().findValuesAsText("url")).hasSize(3);
        }
    }

    @Test
    void pages_of_one_origin_may_be_let_in_and_any_origin_may_not() {
        for (String origin : new String[] {"*", "localhost:3000", "http://localhost:3000/app"}) {
            assertThat(shell.run("serve", "--port", "0", "--cors", origin).exitCode())
                    .isEqualTo(2);
        }
    }

    private void serving(java.util.function.Consumer<String> use) throws InterruptedException {
        try (RunningCommand serve = shell.start("serve", "--port", "0", "--dir", folder.toString())) {
            use.accept(serve.awaitOut(text -> text.endsWith("\n")).strip());
            assertThat(serve.interrupt().exitCode()).isEqualTo(130);
        }
    }
}
