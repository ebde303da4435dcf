package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The commands that pages show exist, with the options that they show. */
class DocumentedCommandsTest {
    private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
    /** A fenced block, an indented line, or inline code. Java has its own tests. */
    private static final Pattern CODE = Pattern.compile(
            "(?:```java\n.*?```)|```[a-z]*\n(.*?)```|^ {4}([^\n]*)|`([^`\n]+)`", Pattern.DOTALL | Pattern.MULTILINE);

    private static final Pattern QUOTED = Pattern.compile("'[^'\n]*'|\"[^\"\n]*\"");
    /** At the beginning, or behind a prompt, a pipe, a parenthesis or variables. */
    private static final Pattern COMMAND = Pattern.compile(
            "(?:^|[|&(]|\\$ )\\h*(?:[A-Z_]+=\\S* )*[./]*couchjobs (-?[a-z][^\n|&;>#)]*)", Pattern.MULTILINE);

    private final CommandLine couchjobs =
            Cli.commandLine(new Couchjobs(new TestShell().shell(new StringWriter(), new StringWriter())));

    @Test
    void every_command_that_a_page_shows_exists_with_its_options() throws IOException {
        List<String> wrong = new ArrayList<>();
        int commands = 0;
        for (Path page : pages()) {
            for (String command : commands(Files.readString(page))) {
                problem(command)
                        .ifPresent(it -> wrong.add(HOME.relativize(page) + ": couchjobs " + command + ": " + it));
                commands++;
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(commands).isGreaterThan(300);
    }

    @Test
    void an_unknown_command_or_option_is_found() {
        assertThat(
                        commands(
                                "run `couchjobs counts --by group`; couchjobs is it\n    $ couchjobs conts # twice\n    cat a | couchjobs enqueue a --form 'b' -- c --d"))
                .extracting(command -> problem(command).orElse("exists"))
                .containsExactly("exists", "there is no conts", "enqueue has no --form");
    }

    private static List<String> commands(String page) {
        String code = CODE.matcher(page)
                .results()
                .flatMap(found -> IntStream.rangeClosed(1, 3).mapToObj(found::group))
                .filter(Objects::nonNull)
                .collect(Collectors.joining("\n"))
                .replace("\\\n", " ");
        return COMMAND.matcher(QUOTED.matcher(code).replaceAll("X"))
                .results()
                .map(found -> found.group(1).strip())
                .toList();
    }

    private Optional<String> problem(String command) {
        CommandLine line = couchjobs;
        List<String> words = List.of(command.split("\\s+"));
        for (String word : words.subList(0, words.contains("--") ? words.indexOf("--") : words.size())) {
            String option = word.replaceFirst("=.*", "");
            if (line.getSubcommands().containsKey(word)) {
                line = line.getSubcommands().get(word);
            } else if (word.matches("-.+")
                    && !line.getCommandSpec().optionsMap().containsKey(option)) {
                return Optional.of(line.getCommandName() + " has no " + option);
            } else if (word.equals(words.get(0)) && word.matches("[a-z]+")) {
                return Optional.of("there is no " + word);
            }
        }
        return Optional.empty();
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.find(
                HOME, 6, (path, attributes) -> path.toString().endsWith(".md") && attributes.isRegularFile())) {
            return files.filter(path -> !path.toString().matches(".*/(target|node_modules|\\.git)/.*"))
                    .toList();
        }
    }
}
