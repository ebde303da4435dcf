package io.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.store.SharedDocuments;
import io.couchjobs.testing.Jobs;
import org.junit.jupiter.api.Test;

/** Changes of documents whose leaves nobody has taken back. */
class DoubtfulDocumentsTest extends PlayedCluster {
    /** The pauses are random: in some of these changes the last one ends after the wait is over. */
    @Test
    void a_change_is_made_when_the_wait_for_a_writer_that_may_take_back_its_leaf_is_over() {
        for (int i = 0; i < 20; i++) {
            String docId = "scope:t:" + i;
            put(zero, docId, 1);
            heal();
            world.cluster().isolate(2);
            put(two, docId, 2);
            put(zero, docId, 3);
            heal();
            ObjectNode changed = world.play(one, () -> new SharedDocuments(one.database())
                    .change(docId, document -> document.put("number", 4)));
            assertThat(changed.path("number").asInt()).isEqualTo(4);
        }
    }

    /** As a program does that does not wait for a majority. */
    private void put(Client client, String docId, int number) {
        world.play(client, () -> {
            CouchDatabase database = client.database();
            ObjectNode present = database.get(docId).orElseGet(() -> Jobs.json("{'_id':'" + docId + "'}"));
            return database.put(present.put("number", number));
        });
    }
}
