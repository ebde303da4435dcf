package io.couchjobs.engine.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.Replicated;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a job ended that retention has deleted, when another leaf lost to the deletion. The longer branch is the loser's. */
@ServerTest
class LastWordsTest {
    private static final JobId ID = new JobId("email", "1");

    private TestDatabase database;
    private JobQueue queue;

    @BeforeEach
    void open(TestDatabase own) {
        database = own;
        queue = TestQueue.open(own);
    }

    @AfterEach
    void close() {
        queue.close();
    }

    @Test
    void an_end_that_retention_has_deleted_is_told_though_a_leaf_that_waits_lost_to_it() throws Exception {
        retired("'status':'success','data':{},'fence':1,'result':'sent'", "'status':'waiting','data':{},'fence':1");
        assertThat(lastWords().status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void the_end_of_an_earlier_run_on_a_leaf_that_lost_is_not_told() throws Exception {
        retired(
                "'status':'success','data':{},'fence':2,'result':'later'",
                "'status':'success','data':{},'fence':1,'result':'earlier'");
        assertThat(lastWords().status()).isEqualTo(JobStatus.SUCCESS);
        assertThat(lastWords().result()).as("of the earlier run").isEmpty();
    }

    @Test
    void the_result_is_told_while_the_revision_that_was_deleted_can_be_read() throws Exception {
        String success = "'status':'success','data':{},'fence':2,'result':'sent'";
        retired(success, success);
        assertThat(lastWords().result().orElseThrow().asText()).isEqualTo("sent");
    }

    /** Retention deletes one leaf, and a resolver the other one with a tombstone of the same removal. */
    private void retired(String winner, String loser) throws Exception {
        Replicated.into(database, Replicated.leaf(3, 'a', winner), Replicated.leaf(4, 'b', loser));
        int fence = Jobs.json("{" + winner + "}").path("fence").asInt();
        String tombstone = "'_id':'" + ID.docId() + "','_deleted':true,'status':'success','fence':" + fence
                + ",'removedBy':'retention'";
        for (String rev : List.of("3-" + "a".repeat(32), "4-" + "b".repeat(32))) {
            ObjectNode deletion = Jobs.json("{" + tombstone + ",'_rev':'" + rev + "'}");
            assertThat(queue.database().put(deletion)).isInstanceOf(WriteResult.Stored.class);
        }
    }

    private Job lastWords() {
        String rev = queue.database()
                .view(ViewQuery.allDocs().keys(List.of(ID.docId())))
                .rows()
                .get(0)
                .value()
                .path("rev")
                .asText();
        assertThat(rev).as("the longer branch").startsWith("5-");
        return new JobReader(queue.database())
                .lastWords(Snapshot.gone(ID, rev))
                .flatMap(Snapshot::job)
                .orElseThrow();
    }
}
