package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class HelpTest {
    /** A longer line is broken, and its last words stand alone before the next one. */
    private static final int LONGEST = 108;

    @Test
    void no_line_of_a_description_is_broken_in_the_middle() {
        List<String> lines = commands(
                        Cli.commandLine(new Couchjobs(new TestShell().shell(new StringWriter(), new StringWriter()))))
                .flatMap(command ->
                        Stream.of(command.getCommandSpec().usageMessage().description()))
                .toList();

        assertThat(lines).hasSizeGreaterThan(35).allSatisfy(line -> assertThat(line)
                .hasSizeLessThanOrEqualTo(LONGEST));
    }

    private static Stream<CommandLine> commands(CommandLine command) {
        return Stream.concat(
                Stream.of(command), command.getSubcommands().values().stream().flatMap(HelpTest::commands));
    }
}
