package io.couchjobs.engine.store;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.InProcess;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.job.Site;
import io.couchjobs.job.UnconfirmedException;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of a name that is not simply stored. The server always has the name oslo. */
class SiteDocumentTest {
    private int statusOfWrites = 201;
    private String name = "bergen";
    private final CouchServer server = InProcess.connect(
            CouchConfig.builder(URI.create("http://couch")).build(), this::answer, pause -> {}, System::nanoTime);
    private final SiteDocument document = new SiteDocument(server.database("jobs"));

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void a_name_that_no_quorum_confirms_is_told_as_unconfirmed() {
        statusOfWrites = 202;
        assertThatThrownBy(() -> document.write(Site.named("oslo")))
                .isInstanceOf(UnconfirmedException.class)
                .hasMessageContaining("the site of the database");
    }

    @Test
    void processes_that_give_it_the_same_name_at_the_same_time_are_all_done() {
        statusOfWrites = 409;
        assertThatCode(() -> document.write(Site.named("oslo"))).doesNotThrowAnyException();
    }

    @Test
    void a_process_whose_name_came_second_is_told_the_first() {
        statusOfWrites = 409;
        assertThatThrownBy(() -> document.write(Site.named("munich")))
                .isInstanceOf(CouchJobsException.class)
                .hasMessageContaining("another process")
                .hasMessageContaining("oslo");
    }

    @Test
    void the_name_that_it_has_is_not_written_again() {
        statusOfWrites = 202;
        assertThatCode(() -> document.write(Site.named(name))).doesNotThrowAnyException();
    }

    /** A write that is answered 409 came after that of the name oslo. */
    private InProcess.Response answer(InProcess.Request request) {
        if (request.method().equals("GET")) {
            return answer(200, "{'_id':'_local/couchjobs-site','_rev':'0-1','site':'" + name + "','home':false}");
        }
        if (statusOfWrites == 409) {
            name = "oslo";
            return answer(409, "{'error':'conflict','reason':'Document update conflict.'}");
        }
        return answer(statusOfWrites, "{'ok':true,'id':'_local/couchjobs-site','rev':'0-2'}");
    }

    private static InProcess.Response answer(int status, String json) {
        byte[] body = json.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        return new InProcess.Response(status, Map.of(), new ByteArrayInputStream(body));
    }
}
