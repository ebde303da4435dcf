package io.couchjobs.engine.trigger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.InProcess;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.trigger.Trigger;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The databases of a pattern get their positions when the trigger begins. */
class StartsTest extends FollowedOrders {
    private static final Trigger SHOPS =
            Trigger.named("t").source("shop-*").type("mail").build();

    private final Map<String, InProcess.Response> answers = new ConcurrentHashMap<>();
    private final CouchServer server = InProcess.connect(
            CouchConfig.builder(URI.create("http://server.test/")).build(),
            request -> answers.getOrDefault(request.uri().getPath(), answer(404, "{'error':'not_found','reason':'x'}")),
            pause -> {},
            System::nanoTime);

    private static InProcess.Response answer(int status, String body) {
        byte[] json = body.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        return new InProcess.Response(
                status, Map.of("Content-Type", List.of("application/json")), new ByteArrayInputStream(json));
    }

    @Test
    void a_pattern_has_not_begun_while_one_of_its_databases_cannot_say_where_it_is() {
        answers.put("/_dbs_info", answer(200, "[{'key':'shop-1','error':'not_found'}]"));
        answers.put("/shop-1", answer(403, "{'error':'forbidden','reason':'not now'}"));
        assertThatThrownBy(() -> tools.starts().begin(SHOPS, server, List.of("shop-1")))
                .isInstanceOf(CouchException.class)
                .hasMessageContaining("not now");
        assertThat(tools.positions().readAll("t")).isEmpty();

        answers.put("/_dbs_info", answer(200, "[{'key':'shop-1','error':'not_found'}]"));
        answers.put("/shop-1", answer(200, "{'update_seq':'7-a','instance_start_time':'1'}"));
        tools.starts().begin(SHOPS, server, List.of("shop-1", "shop-gone"));
        assertThat(tools.positions().read("t", "shop-1").orElseThrow().seq()).isEqualTo("7-a");
        assertThat(tools.positions().read("t", "shop-gone")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 404})
    void a_database_that_cannot_say_where_it_is_holds_up_no_other(int status) {
        answers.put("/_dbs_info", answer(status, "[]"));
        answers.put("/shop-1", answer(403, "{'error':'forbidden','reason':'not now'}"));
        answers.put("/shop-2", answer(200, "{'update_seq':'7-a','instance_start_time':'1'}"));
        assertThatThrownBy(() -> tools.starts().begin(SHOPS, server, List.of("shop-1", "shop-2")))
                .isInstanceOf(CouchException.class)
                .hasMessageContaining("/shop-1");
        assertThat(tools.positions().readAll("t"))
                .extracting(Position::database)
                .containsExactly("shop-2");
    }
}
