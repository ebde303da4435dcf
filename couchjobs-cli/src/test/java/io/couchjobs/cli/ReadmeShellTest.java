package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.CouchExtension;
import io.couchjobs.embedded.junit.TestDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the shell example of the README, line by line. */
@Tag("server")
@Timeout(120)
@ExtendWith(CouchExtension.class)
class ReadmeShellTest {
    private static final String PROGRAM = "./couchjobs ";

    @Test
    void the_shell_example_of_the_readme_works(TestDatabase database) throws Exception {
        TestShell shell = TestShell.at(database);
        List<String> lines = example();
        assertThat(lines).hasSize(4);
        String said = "";
        for (String line : lines) {
            int start = line.indexOf(PROGRAM);
            String pipedIn =
                    start == 0 ? "" : shellOutput(line.substring(0, start).replaceFirst("\\| *$", ""));
            TestShell.Said result = shell.input(pipedIn)
                    .run(line.substring(start + PROGRAM.length()).split(" "));
            assertThat(result.exitCode()).as(line + "\n" + result.err()).isZero();
            said = result.out();
        }
        long files = shellOutput("find . -name '*.md'").lines().count();
        assertThat(files).isPositive();
        assertThat(Arrays.asList(said.lines().toList().get(1).split(" +")))
                .startsWith("checksum", "0", "0", "0", "0", String.valueOf(files), "0");
    }

    private static List<String> example() throws IOException {
        Matcher block =
                Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(Path.of("../README.md")));
        assertThat(block.find()).isTrue();
        return block.group(1).lines().toList();
    }

    private static String shellOutput(String command) throws Exception {
        Process process = new ProcessBuilder("sh", "-c", command)
                .directory(Path.of("..").toFile())
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return output;
    }
}
