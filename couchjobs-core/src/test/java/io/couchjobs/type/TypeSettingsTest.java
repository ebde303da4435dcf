package io.couchjobs.type;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TypeSettingsTest {
    @Test
    void a_timeout_of_zero_counts_as_not_set_and_is_named() {
        TypeSettings settings = withTimeout(0);
        assertThat(settings.timeout()).isEmpty();
        assertThat(settings.problems()).containsExactly("timeout cannot be 0");
    }

    @Test
    void a_timeout_that_is_too_long_counts_as_the_longest() {
        TypeSettings settings = withTimeout(Long.MAX_VALUE);
        assertThat(settings.timeout()).contains(Duration.ofDays(1000));
        assertThat(settings.problems()).isEmpty();
    }

    private static TypeSettings withTimeout(long millis) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        return TypeSettings.of(document.put("_id", "type:email").put("timeout", millis));
    }
}
