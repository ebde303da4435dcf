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

    private void serving(java.util.function.Consumer<String> use) throws InterruptedException {
        try (RunningCommand serve = shell.start("serve", "--port", "0", "--dir", folder.toString())) {
            use.accept(serve.awaitOut(text -> text.endsWith("\n")).strip());
            assertThat(serve.interrupt().exitCode()).isEqualTo(130);
        }
    }
}
