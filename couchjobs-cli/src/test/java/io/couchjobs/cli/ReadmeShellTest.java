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

/** Runs the shell examples of the README and the recipes, line by line. */
@Tag("server")
@Timeout(120)
@ExtendWith(CouchExtension.class)
class ReadmeShellTest {
    private static final String PROGRAM = "./couchjobs ";

    @Test
    void the_shell_example_of_the_readme_works(TestDatabase database) throws Exception {
        TestShell shell = TestShell.at(database);
        List<String> lines = example("../README.md");
        assertThat(lines).hasSize(4);
        String said = run(shell, lines);
        long files = shellOutput("find . -name '*.md'").lines().count();
        assertThat(files).isPositive();
        assertThat(Arrays.asList(said.lines().toList().get(1).split(" +")))
                .startsWith("checksum", "0", "0", "0", "0", String.valueOf(files), "0");
    }

    @Test
    void the_shell_example_of_the_recipes_works(TestDatabase database) throws Exception {
        TestShell shell = TestShell.at(database);
        List<String> lines = example("../docs/recipes.md");
        assertThat(lines).hasSize(4);

        run(shell, lines);

        assertThat(shell.run("counts", "-o", "json")
                        .json()
                        .at("/types/page/success")
                        .asInt())
                .isEqualTo(3);
    }

    /** Returns what the last line said. */
    private static String run(TestShell shell, List<String> lines) throws Exception {
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
        return said;
    }

    private static List<String> example(String page) throws IOException {
        Matcher block = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(Path.of(page)));
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
