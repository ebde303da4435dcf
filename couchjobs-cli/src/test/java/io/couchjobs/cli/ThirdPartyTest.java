package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The jar contains the work of others, under conditions: mostly that it says so. */
class ThirdPartyTest {
    /** A line of the list: {@code (LICENCE) (LICENCE) name (group:artifact:version - url)}. */
    private static final Pattern LINE =
            Pattern.compile("(?m)^ +((?:\\([^)]+\\) )+).*\\([^:() ]+:([^:() ]+):[^:() ]+ - [^)]*\\)$");

    @Test
    void every_dependency_is_named_and_the_text_of_its_licence_is_there() throws IOException {
        List<MatchResult> named =
                LINE.matcher(resource("THIRD-PARTY.txt")).results().toList();
        assertThat(named)
                .extracting(line -> line.group(2))
                .contains("picocli", "jackson-databind", "rhino", "slf4j-api");
        for (MatchResult line : named) {
            String text = line.group(1).contains("(Apache-2.0)")
                    ? resource("licenses/couchjobs/LICENSE")
                    : resource("licenses/" + line.group(2) + ".txt");
            assertThat(text).as(line.group()).containsIgnoringCase("licen");
        }
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = ThirdPartyTest.class.getResourceAsStream("/META-INF/" + name)) {
            assertThat(in).as("META-INF/" + name).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
