package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the shell examples of the README and the recipes. */
@ServerTest
@Timeout(120)
class ReadmeShellTest {
    private static final Path CHECKOUT = Path.of("..").toAbsolutePath().normalize();

    @Test
    void the_shell_example_of_the_readme_works(TestDatabase database, @TempDir Path folder) throws Exception {
        var unused = Files.createDirectory(folder.resolve("docs"));
        for (String name : List.of("README.md", "CHANGELOG.md", "docs/tutorial.md", "docs/cli.md")) {
            unused = Files.copy(CHECKOUT.resolve(name), folder.resolve(name));
        }
        try (Bash bash = Bash.at(database, folder, Bash.Hook.NONE)) {
            String said = bash.run(Page.of("README.md").block("checksum").script());

            assertThat(said).containsPattern("\nchecksum +0 +0 +0 +0 +4 +0 ");
        }
    }

    @Test
    void the_shell_example_of_the_recipes_works(TestDatabase database) throws Exception {
        try (Bash bash = Bash.at(database, CHECKOUT, Bash.Hook.NONE)) {
            bash.done(Page.of("docs/recipes.md").block("group-limit").script());

            assertThat(bash.run("couchjobs counts -o json | jq .types.page.success"))
                    .isEqualTo("3\n");
        }
    }
}
