package io.couchjobs.engine.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.InProcess;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.testing.ForwardingEnvironment;
import io.couchjobs.testing.TestQueue;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** From where a feed goes on when the number of the database's position has become smaller, and after refusals. */
class FeedPositionTest {
    private final List<String> positions = new CopyOnWriteArrayList<>();
    private final AtomicInteger questions = new AtomicInteger();

    @ParameterizedTest
    @CsvSource({"1, 3-y", "3, 9-x"})
    void a_single_copy_was_replaced_and_copies_of_a_cluster_count_each_for_themselves(int copies, String then)
            throws Exception {
        CouchConfig config = CouchConfig.builder(URI.create("http://node")).build();
        try (CouchServer server =
                        InProcess.connect(config, request -> answer(request, copies), pause -> {}, System::nanoTime);
                Feed feed = Feeds.of(server.database("jobs"))) {
            feed.listen(event -> {});
            TestQueue.until(() -> positions.size() >= 2);
        }
        assertThat(positions.subList(0, 2)).containsExactly("9-x", then);
    }

    /** Feeds end at once. */
    private InProcess.Response answer(InProcess.Request request, int copies) {
        if (request.forFeed()) {
            positions.add(since(request));
            return ok("");
        }
        String position = questions.getAndIncrement() == 0 ? "9-x" : "3-y";
        return ok("{\"db_name\":\"jobs\",\"update_seq\":\"" + position + "\",\"cluster\":{\"n\":" + copies + "}}");
    }

    /** The next ones in the words of proxies; an expired token and one for another server in those of CouchDB. */
    @ParameterizedTest
    @CsvSource({
        "500, internal_server_error, No DB shards could be opened., 9-x",
        "503, service_unavailable, try again, 9-x",
        "429, too_many_requests, slow down, 9-x",
        "401, unauthorized, exp not in future, 9-x",
        "403, forbidden, You are not allowed to access this db., 9-x",
        "400, bad_request, Bad HMAC, 9-x",
        "404, default backend, no such upstream, 9-x",
        "404, not_found, Database does not exist., 12-z",
        "400, bad_request, Malformed sequence supplied in 'since' parameter., 12-z",
    })
    void only_a_refusal_that_speaks_of_the_position_or_the_database_loses_the_position(
            int status, String error, String reason, String then) throws Exception {
        CouchConfig config = CouchConfig.builder(URI.create("http://node")).build();
        String refusal = "{\"error\":\"" + error + "\",\"reason\":\"" + reason + "\"}";
        try (CouchServer server = InProcess.connect(
                        config, request -> refuse(request, status, refusal), Runnable::run, new Hasty());
                Feed feed = Feeds.of(server.database("jobs"))) {
            feed.listen(event -> {});
            TestQueue.until(() -> positions.size() >= 6);
        }
        List<String> asked = List.copyOf(positions);
        assertThat(asked.get(0)).isEqualTo("9-x");
        assertThat(asked.subList(1, 6)).containsOnly(then);
    }

    private InProcess.Response refuse(InProcess.Request request, int status, String refusal) {
        if (request.forFeed()) {
            positions.add(since(request));
            return response(status, refusal);
        }
        String position = questions.getAndIncrement() == 0 ? "9-x" : "12-z";
        return response(200, "{\"db_name\":\"jobs\",\"update_seq\":\"" + position + "\",\"cluster\":{\"n\":1}}");
    }

    private static String since(InProcess.Request request) {
        return request.uri().getQuery().replaceAll(".*since=([^&]*).*", "$1");
    }

    private static InProcess.Response ok(String body) {
        return response(200, body);
    }

    private static InProcess.Response response(int status, String body) {
        return new InProcess.Response(
                status, Map.of(), new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8)));
    }

    /** Makes no pauses. */
    private static final class Hasty extends ForwardingEnvironment {
        @Override
        public void pause(Duration duration) {}
    }
}
