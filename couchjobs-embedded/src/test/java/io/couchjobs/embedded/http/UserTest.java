package io.couchjobs.embedded.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.protocol.Json;
import java.util.List;
import org.junit.jupiter.api.Test;

class UserTest {

    @Test
    void readers_are_members_where_no_members_are_named() {
        JsonNode security = Json.parse("{\"readers\":{\"names\":[\"ann\"]}}");

        assertThat(new User("ann", List.of()).isMemberOf(security)).isTrue();
        assertThat(new User("eve", List.of()).isMemberOf(security)).isFalse();
    }
}
