package io.couchjobs.engine.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.InProcess;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.testing.TestQueue;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** From where a feed goes on when the number of the database's position has become smaller. */
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
                Feed feed = new Feed(server.database("jobs"))) {
            feed.listen(event -> {});
            TestQueue.until(() -> positions.size() >= 2);
        }
        assertThat(positions.subList(0, 2)).containsExactly("9-x", then);
    }

    /** Feeds end at once. */
    private InProcess.Response answer(InProcess.Request request, int copies) {
        if (request.forFeed()) {
            positions.add(request.uri().getQuery().replaceAll(".*since=([^&]*).*", "$1"));
            return ok("");
        }
        String position = questions.getAndIncrement() == 0 ? "9-x" : "3-y";
        return ok("{\"db_name\":\"jobs\",\"update_seq\":\"" + position + "\",\"cluster\":{\"n\":" + copies + "}}");
    }

    private static InProcess.Response ok(String body) {
        return new InProcess.Response(200, Map.of(), new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8)));
    }
}
