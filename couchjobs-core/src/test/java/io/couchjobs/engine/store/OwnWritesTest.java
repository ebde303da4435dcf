package io.couchjobs.engine.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.couch.WriteResult;
import io.couchjobs.testing.Jobs;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class OwnWritesTest {
    private final OwnWrites own = new OwnWrites();
    private boolean isSure = true;

    @Test
    void a_write_that_a_quorum_stored_is_known_by_its_revision() {
        CompletableFuture<WriteResult> write = note("{'_id':'job:email:1','status':'success'}");
        assertThat(own.contain("job:email:1", "2-a")).isFalse();
        write.complete(new WriteResult.Stored("job:email:1", "2-a"));
        assertThat(own.contain("job:email:1", "2-a")).isTrue();
        assertThat(own.contain("job:email:1", "3-b")).isFalse();
    }

    @Test
    void a_write_is_no_news_but_not_sure_when_its_writer_is_not_at_the_answer() {
        CompletableFuture<WriteResult> write = note("{'_id':'job:email:1','status':'success'}");
        isSure = false;
        write.complete(new WriteResult.Stored("job:email:1", "2-a"));
        isSure = true;
        note("{'_id':'job:email:2','status':'success'}").complete(new WriteResult.Stored("job:email:2", "2-b"));
        assertThat(own.contain("job:email:1", "2-a")).isTrue();
        assertThat(own.areSure("job:email:1", "2-a")).isFalse();
        assertThat(own.areSure("job:email:2", "2-b")).isTrue();
        assertThat(own.areSure("job:email:2", "3-c")).isFalse();
    }

    @Test
    void a_write_that_was_lost_or_confirmed_by_no_quorum_is_not_known() {
        note("{'_id':'job:email:1','status':'running'}").complete(new WriteResult.Accepted("job:email:1", "2-a"));
        note("{'_id':'job:email:2','status':'running'}").complete(new WriteResult.Conflict("job:email:2"));
        note("{'_id':'job:email:3','status':'running'}").completeExceptionally(new IllegalStateException("away"));
        assertThat(own.contain("job:email:1", "2-a")).isFalse();
    }

    @Test
    void a_job_to_be_claimed_is_news_whoever_wrote_it() {
        note("{'_id':'job:email:1','data':{}}").complete(new WriteResult.Stored("job:email:1", "1-a"));
        note("{'_id':'job:email:2','status':'stuck'}").complete(new WriteResult.Stored("job:email:2", "3-a"));
        note("{'_id':'job:email:3','_deleted':true}").complete(new WriteResult.Stored("job:email:3", "4-a"));
        assertThat(own.contain("job:email:1", "1-a")).isFalse();
        assertThat(own.contain("job:email:2", "3-a")).isFalse();
        assertThat(own.contain("job:email:3", "4-a")).isTrue();
    }

    @Test
    void the_number_of_remembered_writes_is_bounded() {
        for (int i = 0; i < 6_000; i++) {
            note("{'_id':'job:email:" + i + "','status':'success'}")
                    .complete(new WriteResult.Stored("job:email:" + i, "2-a"));
        }
        assertThat(own.contain("job:email:0", "2-a")).isFalse();
        assertThat(own.contain("job:email:5999", "2-a")).isTrue();
    }

    private CompletableFuture<WriteResult> note(String json) {
        CompletableFuture<WriteResult> write = new CompletableFuture<>();
        own.note(Jobs.json(json), write, () -> isSure);
        return write;
    }
}
