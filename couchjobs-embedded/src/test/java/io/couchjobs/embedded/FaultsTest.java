package io.couchjobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.embedded.Faults.Held;
import io.couchjobs.embedded.Faults.Request;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultsTest {
    /** The JDK's client sends a GET again whose connection was cut. */
    private static final int ALSO_AGAIN = 100;

    private static final String ONE = "{\"docs\":[{\"_id\":\"a\"}]}";

    private EmbeddedCouch couch;
    private Client client;

    @BeforeEach
    void start() throws Exception {
        couch = EmbeddedCouch.inMemory().start();
        client = new Client(couch.url());
        client.send("PUT", "jobs");
    }

    @AfterEach
    void close() {
        couch.close();
    }

    private static boolean isWrite(Request request) {
        return request.method().equals("POST") && request.path().endsWith("/_bulk_docs");
    }

    @Test
    void an_answered_request_is_not_processed_and_the_next_one_is() throws Exception {
        couch.faults().answer(1, FaultsTest::isWrite, 503);
        assertThat(client.send("POST", "jobs/_bulk_docs", ONE).statusCode()).isEqualTo(503);
        assertThat(client.send("GET", "jobs/a").statusCode()).isEqualTo(404);
        assertThat(client.send("POST", "jobs/_bulk_docs", ONE).statusCode()).isEqualTo(201);
    }

    @Test
    void a_write_whose_answer_is_lost_is_stored() throws Exception {
        couch.faults().loseAnswer(1, FaultsTest::isWrite);
        assertThatThrownBy(() -> client.send("POST", "jobs/_bulk_docs", ONE)).isInstanceOf(IOException.class);
        assertThat(client.send("GET", "jobs/a").statusCode()).isEqualTo(200);
    }

    @Test
    void a_feed_whose_answer_is_lost_is_cut_off() {
        couch.faults().loseAnswer(ALSO_AGAIN, request -> request.path().endsWith("/_changes"));
        CompletableFuture<String> feed = client.read("jobs/_changes?feed=continuous&heartbeat=1000");
        assertThatThrownBy(() -> feed.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(IOException.class);
    }

    @Test
    void a_write_that_is_cut_off_is_not_stored() throws Exception {
        couch.faults().cut(1, FaultsTest::isWrite);
        assertThatThrownBy(() -> client.send("POST", "jobs/_bulk_docs", ONE)).isInstanceOf(IOException.class);
        assertThat(client.send("GET", "jobs/a").statusCode()).isEqualTo(404);
    }

    @Test
    void a_delayed_write_is_stored_when_it_is_released() throws Exception {
        Held held = couch.faults().delay(1, FaultsTest::isWrite);
        CompletableFuture<Integer> write = client.sendLater("POST", "jobs/_bulk_docs", ONE);
        assertThat(held.awaitArrival(30)).isTrue();
        assertThat(client.send("GET", "jobs/a").statusCode()).isEqualTo(404);
        held.release();
        assertThat(write.get(30, TimeUnit.SECONDS)).isEqualTo(201);
    }
}
