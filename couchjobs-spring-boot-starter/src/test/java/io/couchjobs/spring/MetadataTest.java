package io.couchjobs.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Editors and the guide know all properties. */
class MetadataTest {
    @Test
    void each_property_is_described_for_editors_and_in_the_guide() throws IOException {
        String guide = Files.readString(Path.of("../docs/spring-boot.md"));
        List<String> names = new ArrayList<>();
        for (JsonNode property : properties()) {
            String name = property.path("name").asText();
            assertThat(property.path("description").asText()).as(name).isNotBlank();
            String last = name.substring(name.lastIndexOf('.'));
            assertThat(guide).as(name).containsAnyOf("`" + name, "`" + last + "`");
            names.add(name);
        }
        assertThat(names)
                .contains(
                        "couchjobs.url",
                        "couchjobs.connections",
                        "couchjobs.worker.close-timeout",
                        "couchjobs.dashboard.hosts");
    }

    private static JsonNode properties() throws IOException {
        try (InputStream in =
                CouchjobsProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            return new JsonMapper().readTree(in).path("properties");
        }
    }
}
