package io.couchjobs.engine.trigger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.InProcess;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchException;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A feed with a document that cannot be read is read on, from a server that answers as a test says. */
class SingleRowsTest {
    private static final String ROWS = "{'results':[{'seq':'1','id':'o1','changes':[{'rev':'1-a'}]},"
            + "{'seq':'2','id':'o2','changes':[{'rev':'1-b'}]},{'seq':'3','id':'o3','changes':[{'rev':'1-c'}]}],"
            + "'last_seq':'3','pending':0}";

    private final Map<String, String> answers = Map.of(
            "/orders/_changes",
            ROWS,
            "/orders/o1",
            "{'_id':'o1','_rev':'1-a'}",
            "/orders/o2",
            "{'_id':'o2','_rev':'1-b','n':" + "1".repeat(1_001) + "}",
            "/orders/o3",
            "{'_id':'o3','_rev':'1-c'}");

    private final CouchDatabase orders = InProcess.connect(
                    CouchConfig.builder(URI.create("http://server.test/")).build(),
                    request -> answer(request.uri().getPath()),
                    pause -> {},
                    System::nanoTime)
            .database("orders");

    private InProcess.Response answer(String path) {
        String body = answers.get(path);
        byte[] json = (body == null ? "{'error':'not_found','reason':'no_db_file'}" : body)
                .replace('\'', '"')
                .getBytes(StandardCharsets.UTF_8);
        return new InProcess.Response(
                body == null ? 404 : 200,
                Map.of("Content-Type", List.of("application/json")),
                new ByteArrayInputStream(json));
    }

    private SingleRows after(CouchException trouble) {
        return SingleRows.after(trouble, orders, ChangesRequest.normal(), () -> true);
    }

    private static CouchException troubleOf(CouchDatabase database, String id) {
        return catchThrowableOfType(CouchException.class, () -> database.get(id));
    }

    @Test
    void one_that_cannot_be_read_fails_after_those_before_it() {
        SingleRows rows = after(troubleOf(orders, "o2"));
        assertThat(rows.readable()).extracting(Change::id).containsExactly("o1");
        Step step = rows.step(Position.first("t", "orders", "0", 0));
        assertThat(step.seq()).isEqualTo("2");
        assertThat(step.failures()).singleElement().satisfies(failure -> {
            assertThat(failure.change().id()).isEqualTo("o2");
            assertThat(failure.reason()).startsWith("it cannot be read: ");
        });
    }

    @Test
    void another_trouble_of_the_feed_is_not_that_of_a_row() {
        CouchException gone = troubleOf(orders, "o4");
        assertThatThrownBy(() -> after(gone)).isSameAs(gone);
    }
}
