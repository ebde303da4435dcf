package io.couchjobs.couch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.couch.Json;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A client whose server is a function. */
class InProcessTest {
    private final List<String> asked = new ArrayList<>();
    private final List<Duration> pauses = new ArrayList<>();

    @Test
    void requests_reach_the_function_and_its_answers_come_back() {
        try (CouchServer server = server(request -> ok("{\"ok\":true,\"id\":\"a b\",\"rev\":\"1-x\"}"))) {
            WriteResult written = server.database("jobs").put(Json.object().put("_id", "a b"));
            assertThat(written).isEqualTo(new WriteResult.Stored("a b", "1-x"));
        }
        assertThat(asked).containsExactly("PUT http://node1:5984/jobs/a%20b {\"_id\":\"a b\"}");
    }

    @Test
    void a_feed_is_read_as_it_comes() {
        String row = "{\"seq\":\"5-x\",\"id\":\"a\",\"changes\":[{\"rev\":\"1-x\"}]}\n";
        try (CouchServer server = server(request -> ok(request.forFeed() ? row : ""));
                ChangesFeed feed = server.database("jobs").changes(ChangesRequest.continuous())) {
            assertThat(feed.next(Duration.ofMinutes(1)))
                    .hasValueSatisfying(change -> assertThat(change.seq()).isEqualTo("5-x"));
        }
    }

    @Test
    void a_broken_read_is_repeated_in_the_tests_own_time_and_a_broken_write_is_not() {
        try (CouchServer server = server(request -> {
            throw new InProcess.Broken("cut", request.method().equals("PUT"));
        })) {
            CouchDatabase jobs = server.database("jobs");
            CouchException write = catchThrowableOfType(
                    CouchException.class, () -> jobs.put(Json.object().put("_id", "a")));
            CouchException read = catchThrowableOfType(CouchException.class, () -> jobs.get("a"));
            assertThat(write.outcomeUnknown()).isTrue();
            assertThat(read.outcomeUnknown()).isFalse();
        }
        assertThat(asked).hasSize(5);
        assertThat(pauses).hasSize(3);
    }

    private CouchServer server(InProcess.Handler handler) {
        CouchConfig config = CouchConfig.builder(URI.create("http://node1:5984"))
                .gzipAbove(Integer.MAX_VALUE)
                .build();
        return InProcess.connect(
                config,
                request -> {
                    asked.add(request.method() + " " + request.uri() + " "
                            + new String(request.body(), StandardCharsets.UTF_8));
                    return handler.answer(request);
                },
                pauses::add,
                System::nanoTime);
    }

    private static InProcess.Response ok(String json) {
        return new InProcess.Response(201, Map.of(), new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)));
    }
}
