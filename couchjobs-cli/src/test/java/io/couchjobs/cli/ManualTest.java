package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManualTest {
    @TempDir
    private Path folder;

    @Test
    void the_reference_in_the_guide_is_what_the_commands_say_of_themselves() throws IOException {
        Path made = folder.resolve("cli.md");
        assertThat(new TestShell().run("manual", "--markdown", made.toString()).exitCode())
                .isZero();
        assertThat(Files.readString(Path.of("../docs/cli.md")))
                .as("run \"couchjobs manual --markdown docs/cli.md\"")
                .isEqualTo(Files.readString(made));
    }

    @Test
    void every_command_has_a_page_with_an_example_and_every_option_a_description() {
        List<ManualPage> pages = pages();
        assertThat(pages).hasSizeGreaterThan(35).extracting(ManualPage::name).doesNotHaveDuplicates();
        assertThat(pages).allSatisfy(page -> {
            assertThat(page.description()).isNotEmpty();
            assertThat(page.synopsis()).isNotEmpty();
            assertThat(page.options()).allSatisfy(option -> assertThat(option.text())
                    .as(page.name() + " " + option.names())
                    .isNotBlank());
            assertThat(page.parameters()).allSatisfy(parameter -> assertThat(parameter.text())
                    .as(page.name() + " " + parameter.names())
                    .isNotBlank());
            if (page.commands().isEmpty() && !page.name().endsWith("help")) {
                assertThat(page.footer()).as(page.name()).anyMatch(line -> line.contains("Examples:"));
            }
        });
    }

    @Test
    void man_pages_are_written_one_per_command_and_no_text_is_taken_for_a_request() throws IOException {
        assertThat(new TestShell().run("manual", "--man", folder.toString()).exitCode())
                .isZero();
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).hasSameSizeAs(pages());
        }
        for (ManualPage page : pages()) {
            String text = Files.readString(folder.resolve(ManualRoff.fileName(page)));
            assertThat(text.lines().filter(line -> line.startsWith(".") || line.startsWith("'")))
                    .allMatch(line -> line.matches("\\.(TH .*|SH [A-Z ]+|TP|nf|fi)"));
        }
        assertThat(Files.readString(folder.resolve("couchjobs-enqueue.1")))
                .startsWith(".TH \"COUCHJOBS-ENQUEUE\" 1")
                .contains("\\fB\\-\\-if\\-new TRACKER\\fR");
    }

    @Test
    void a_percent_sign_is_written_once_as_in_the_help() {
        String watch = "--failure-rate 10% --webhook";
        assertThat(new TestShell().done("watch", "--help").out()).contains(watch);
        assertThat(ManualMarkdown.of(pages())).contains(watch).doesNotContain("%%");
        assertThat(pages()).allSatisfy(page -> assertThat(ManualRoff.of(page)).doesNotContain("%%"));
    }

    private static List<ManualPage> pages() {
        return ManualPage.of(
                Cli.commandLine(new Couchjobs(new TestShell().shell(new StringWriter(), new StringWriter()))));
    }
}
