package io.couchjobs.cli;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A page of the documentation, or a section of one.
 *
 * @param name where it is, from the top of the project
 * @param text what it says
 */
record Page(String name, String text) {
    /** A fenced block, and what it prints if that is shown; or indented lines that begin with a command. */
    private static final Pattern SHELL = Pattern.compile(
            "^```sh\n(.*?)^```(?:\n\n```text\n(.*?)^```)?"
                    + "|(?<=\n\n)((?: {4}(?:[./]*couchjobs |curl |docker |\\./mvnw |\\.ci/|[A-Z_]+=)[^\n]*\n)(?: {4}[^\n]*\n)*)",
            Pattern.DOTALL | Pattern.MULTILINE);

    /**
     * Commands to type.
     *
     * @param script the lines
     * @param shown the lines that they print by the page, none if it does not say
     */
    record Block(String script, List<String> shown) {
        /** {@return its commands, each in one line if it can be} */
        List<String> commands() {
            return script.replaceAll("\\\\\n *", "").lines().toList();
        }

        /** The lines that the page shows are there, but for words with a digit: numbers, times, ids. */
        void assertSaid(String output, UnaryOperator<String> here) {
            List<String> said = output.lines().map(Block::shape).toList();
            shown.stream().filter(line -> !line.equals("...")).map(here).forEach(line -> assertThat(said)
                    .as(script + output)
                    .contains(shape(line)));
        }

        private static String shape(String text) {
            return Stream.of(text.strip().split("\\s+"))
                    .map(word -> word.matches(".*\\d.*") ? "#" : word)
                    .collect(joining(" "));
        }
    }

    static Page of(String name) {
        try {
            return new Page(name, Files.readString(Path.of("..", name)));
        } catch (IOException unreadable) {
            throw new AssertionError(name, unreadable);
        }
    }

    /** {@return the part from one text to another} */
    Page part(String from, String to) {
        int start = text.indexOf(from);
        return new Page(name, text.substring(start, text.indexOf(to, start)));
    }

    /** {@return the one block of a language that has a text in it} */
    String block(String language, String part) {
        return Pattern.compile("^```" + language + "\n(.*?)^```", Pattern.DOTALL | Pattern.MULTILINE)
                .matcher(text)
                .results()
                .map(found -> found.group(1))
                .filter(block -> block.contains(part))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " has no block with " + part));
    }

    List<Block> blocks() {
        return SHELL.matcher(text)
                .results()
                .map(found -> new Block(
                        found.group(1) == null ? found.group(3).replaceAll("(?m)^ {4}", "") : found.group(1),
                        found.group(2) == null
                                ? List.of()
                                : found.group(2).lines().toList()))
                .toList();
    }

    /** {@return the block that has a text in it} */
    Block block(String part) {
        return blocks().stream()
                .filter(block -> block.script().contains(part))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " has no block with " + part));
    }
}
