package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.JobStatus;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the page of an array shows of chunks that another client has written. */
@ServerTest
@Timeout(120)
class ArraysTest extends OpenDashboard {
    @Test
    void errors_of_items_that_a_chunk_does_not_have_are_left_out() throws Exception {
        String errors = "{'5': {'message': 'x'}, '-1': {'message': 'x'}, 'odd': {'message': 'x'},"
                + " '0': {'message': 'no such page'}}";
        put("{'_id': 'job:mail:c:000001', 'data': {'items': [{}]},"
                + " 'array': {'id': 'c', 'first': 0, 'states': 'f', 'errors': " + errors + "}}");
        JsonNode array = browser.json("array?type=mail&id=c");
        assertThat(array.at("/chunks/0/states").asText()).isEqualTo("f");
        assertThat(array.path("errors")).hasSize(1);
        assertThat(array.at("/errors/0/message").asText()).isEqualTo("no such page");
    }

    @Test
    void a_chunk_that_refuses_does_not_keep_the_others_from_running_again() throws Exception {
        for (int chunk = 1; chunk <= 3; chunk++) {
            put("{'_id': 'job:mail:c:00000" + chunk + "', 'status': 'failed', 'data': {'items': [{}]},"
                    + " 'array': {'id': 'c', 'first': " + (chunk - 1) + ", 'states': 'f'}}");
        }
        put("{'_id': '_design/guard', 'validate_doc_update':"
                + " 'function (doc) { if (doc._id === \\'job:mail:c:000001\\') throw { forbidden: \\'never\\' }; }'}");
        answer("bulk", Map.of("action", "retry", "array", Map.of("type", "mail", "id", "c")));
        Chrome.until("all chunks were tried", PATIENCE, () -> browser.json("bulk")
                .path("done")
                .asBoolean());
        JsonNode run = browser.json("bulk");
        assertThat(run.path("problem").isNull()).as(run.toString()).isTrue();
        assertThat(run.at("/changed/will run again now").asInt()).isEqualTo(2);
        assertThat(run.path("refused").toString()).contains("never");
        assertThat(queue.get("mail", "c:000003").orElseThrow().status()).isEqualTo(JobStatus.WAITING);
    }

    private void put(String document) throws Exception {
        queue.database().put((ObjectNode) Call.JSON.readTree(document.replace('\'', '"')));
    }
}
