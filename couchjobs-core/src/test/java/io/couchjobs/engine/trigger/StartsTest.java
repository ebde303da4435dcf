package io.couchjobs.engine.trigger;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.InProcess;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchUnreachableException;
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
    void a_database_that_cannot_say_where_it_is_when_its_pattern_begins_begins_where_it_is_when_it_can() {
        answers.put("/_dbs_info", answer(200, "[{'key':'shop-1','error':'not_found'}]"));
        answers.put("/shop-1", answer(403, "{'error':'forbidden','reason':'not now'}"));
        tools.starts().begin(SHOPS, server, List.of("shop-1", "shop-gone"));
        assertThat(tools.positions().readAll("t", "shop-")).isEmpty();

        answers.put("/shop-1", answer(200, "{'update_seq':'7-a','instance_start_time':'1'}"));
        answers.put("/shop-2", answer(200, "{'update_seq':'3-a','instance_start_time':'1'}"));
        assertThat(position("shop-1", false).seq()).isEqualTo("7-a");
        assertThat(position("shop-2", false).seq()).isEqualTo("0");
        assertThat(tools.positions().readAll("t")).noneMatch(StartsTest::isTrouble);
    }

    @Test
    void one_that_could_not_be_read_on_the_server_of_another_connection_begins_by_that_of_the_present_one() {
        tools.starts().begin(SHOPS, server, List.of());
        tools.troubles().note(SHOPS, "shop-1", "not now");
        Trigger moved = stored(Trigger.parse(SHOPS.toDocument().put("connection", "other")));
        answers.put("/_dbs_info", answer(200, "[]"));
        answers.put("/shop-1", answer(403, "{'error':'forbidden','reason':'not now'}"));
        tools.starts().begin(moved, server, List.of("shop-1"));

        answers.put("/shop-1", answer(200, "{'update_seq':'7-a','instance_start_time':'1'}"));
        Position first = tools.starts().position(moved, "shop-1", server.database("shop-1"), false);
        assertThat(first.seq()).isEqualTo("7-a");
    }

    @Test
    void one_that_is_deleted_before_it_could_be_read_begins_with_its_first_change_when_it_is_made_anew() {
        tools.starts().begin(SHOPS, server, List.of());
        tools.troubles().note(SHOPS, "shop-1", "not now");
        tools.troubles().replay(SHOPS, "now");
        answers.put("/shop-1", answer(200, "{'update_seq':'7-a','instance_start_time':'1'}"));
        assertThat(position("shop-1", true).seq()).isEqualTo("0");
    }

    private Position position(String name, boolean later) {
        return tools.starts().position(SHOPS, name, server.database(name), later);
    }

    private static boolean isTrouble(Position position) {
        return Troubles.source(position).isPresent();
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 404})
    void a_database_that_cannot_say_where_it_is_holds_up_no_other_and_tells_why(int status) {
        answers.put("/_dbs_info", answer(status, "[]"));
        answers.put("/shop-1", answer(403, "{'error':'forbidden','reason':'not now'}"));
        answers.put("/shop-2", answer(200, "{'update_seq':'7-a','instance_start_time':'1'}"));
        tools.starts().begin(SHOPS, server, List.of("shop-1", "shop-2"));
        assertThat(tools.positions().readAll("t", "shop-"))
                .extracting(Position::database)
                .containsExactly("shop-2");
        assertThat(tools.positions().readAll("t"))
                .filteredOn(StartsTest::isTrouble)
                .flatExtracting(position -> position.problem().stream().toList())
                .singleElement(as(STRING))
                .contains("/shop-1");
    }

    @Test
    void a_pattern_does_not_begin_while_its_server_is_away() {
        couch.faults().cut(Integer.MAX_VALUE, request -> request.path().startsWith("/_dbs_info"));
        CouchServer away = queue.database().server();
        assertThatThrownBy(() -> tools.starts().begin(SHOPS, away, List.of("shop-1")))
                .isInstanceOf(CouchUnreachableException.class);
        assertThat(tools.positions().readAll("t")).isEmpty();
    }
}
