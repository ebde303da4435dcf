package io.couchjobs.engine.trigger;

import static io.couchjobs.testing.SourceDatabases.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.InProcess;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.testing.TestQueue;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether a selector selects a document, at a server that answers as a test says. */
class SourceReaderTest {
    private static final ObjectNode PAID = json("{'status':'paid'}");
    private static final String SELECTED =
            "{'results':[\n{'seq':'1','id':'o1','changes':[{'rev':'1-a'}]}\n],'last_seq':'1'}";

    private final List<String> asked = new CopyOnWriteArrayList<>();

    /** A database whose server answers the question by this status, and the search of the feed by that. */
    private CouchDatabase orders(int found, InputStream searched) {
        return orders(found, searched, TestQueue.PATIENCE);
    }

    private CouchDatabase orders(int found, InputStream searched, Duration responseTimeout) {
        CouchConfig config = CouchConfig.builder(URI.create("http://server.test/"))
                .responseTimeout(responseTimeout)
                .build();
        return InProcess.connect(
                        config,
                        request -> {
                            String path = request.uri().getPath();
                            asked.add(path);
                            return path.endsWith("_find")
                                    ? answer(found, bytes("{'error':'no'}"))
                                    : answer(200, searched);
                        },
                        pause -> {},
                        System::nanoTime)
                .database("orders");
    }

    private static InProcess.Response answer(int status, InputStream body) {
        Map<String, List<String>> headers =
                Map.of("Content-Type", List.of("application/json"), "Retry-After", List.of("3600"));
        return new InProcess.Response(status, headers, body);
    }

    private static InputStream bytes(String json) {
        return new ByteArrayInputStream(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 404, 405, 501})
    void a_server_without_an_index_searches_its_feed(int status) {
        assertThat(SourceReader.selects(orders(status, bytes(SELECTED)), "o1", PAID))
                .isTrue();
        assertThat(SourceReader.selects(orders(status, bytes("{'results':[\n],'last_seq':'1'}")), "o1", PAID))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 500, 503})
    void a_server_in_trouble_does_not_search_its_whole_feed(int status) {
        assertThatThrownBy(() -> SourceReader.selects(orders(status, bytes(SELECTED)), "o1", PAID))
                .isInstanceOfSatisfying(CouchException.class, trouble -> assertThat(trouble.status())
                        .isEqualTo(status));
        assertThat(asked).doesNotContain("/orders/_changes");
    }

    @Test
    void a_search_that_has_not_ended_in_time_does_not_say_that_the_document_is_not_selected() {
        try (Silence silence = new Silence()) {
            InputStream begun = new SequenceInputStream(bytes("{'results':[\n"), silence);
            assertThatThrownBy(() -> SourceReader.selects(orders(404, begun, Duration.ofMillis(200)), "o1", PAID))
                    .isInstanceOf(CouchException.class)
                    .hasMessageContaining("o1");
        }
    }

    /** Brings nothing until it is closed. */
    private static final class Silence extends InputStream {
        private final CountDownLatch closed = new CountDownLatch(1);

        @Override
        public int read() {
            try {
                closed.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return -1;
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            return read();
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }
}
