package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs the shell examples of the README and the recipes. */
@ServerTest
@Timeout(120)
class ReadmeShellTest {
    private static final Path CHECKOUT = Path.of("..").toAbsolutePath().normalize();

    @Test
    void the_shell_example_of_the_readme_works(TestDatabase database) throws Exception {
        try (Bash bash = Bash.at(database, CHECKOUT, Bash.Hook.NONE)) {
            String said = bash.run(Page.of("README.md").block("checksum").script());

            String files = bash.run("find . -name '*.md' | wc -l").strip();
            assertThat(said).containsPattern("\nchecksum +0 +0 +0 +0 +" + files + " +0 ");
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
