package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The Java that the guides to frameworks show stands in the examples of the same name, which examples/run runs. */
class QuotedExamplesTest {
    private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @ParameterizedTest
    @ValueSource(strings = {"quarkus", "micronaut"})
    void the_guide_quotes_its_example(String framework) throws IOException {
        String guide = Files.readString(HOME.resolve("docs/" + framework + ".md"));
        List<String> quoted =
                JAVA.matcher(guide).results().map(block -> block.group(1)).toList();
        String example = source(HOME.resolve("examples/" + framework + "/src/main/java/example"));
        assertThat(quoted).hasSize(2).allSatisfy(block -> assertThat(example).contains(block));
    }

    private static String source(Path folder) throws IOException {
        StringBuilder source = new StringBuilder();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                source.append(Files.readString(file));
            }
        }
        return source.toString();
    }
}
