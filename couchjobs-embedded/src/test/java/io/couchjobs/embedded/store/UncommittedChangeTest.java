package io.couchjobs.embedded.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.embedded.feed.Feed;
import io.couchjobs.embedded.feed.FeedRequest;
import io.couchjobs.embedded.feed.LeafFilter;
import io.couchjobs.embedded.feed.Seqs;
import io.couchjobs.embedded.protocol.Json;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.OffHeapStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A change that is not on disk is lost with the process, and its number is given to another one. So nobody may hear of it. */
class UncommittedChangeTest {
    private final Disk disk = new Disk();
    private final MVStore store = new MVStore.Builder()
            .fileStore(disk)
            .autoCommitDisabled()
            .autoCommitBufferSize(0)
            .open();
    private final Database database =
            new Database("jobs", "0123456789abcdef0123456789abcdef", store, new Commits(store, true));
    private final ByteArrayOutputStream told = new ByteArrayOutputStream();

    /** Refuses to make anything durable while it is full. */
    private static final class Disk extends OffHeapStore {
        private boolean full;

        @Override
        public void sync() {
            if (full) {
                throw new IllegalStateException("the disk is full");
            }
        }
    }

    @BeforeEach
    void leaveAChangeUncommitted() {
        write("a");
        disk.full = true;
        assertThatThrownBy(() -> write("b")).hasMessage("the disk is full");
    }

    @AfterEach
    void close() {
        store.closeImmediately();
    }

    private void write(String id) {
        database.write(List.of(new Edit(id, List.of(), false, Json.object())), Gate.OPEN);
    }

    private String changes() throws Exception {
        FeedRequest.Rows rows = new FeedRequest.Rows(false, false, false, false);
        LeafFilter all = new LeafFilter(database, false, doc -> true);
        new Feed(database, new FeedRequest(FeedRequest.Form.NORMAL, 0, FeedRequest.NO_LIMIT, 1, 0, 0, rows, all), told)
                .run();
        return told.toString(StandardCharsets.UTF_8);
    }

    @Test
    void a_feed_does_not_tell_it() {
        assertThatThrownBy(this::changes).hasMessage("the disk is full");
        assertThat(told.toString(StandardCharsets.UTF_8)).doesNotContain("\"id\"");
    }

    @Test
    void now_is_not_after_it() {
        assertThatThrownBy(() -> Seqs.parse(database, "now")).hasMessage("the disk is full");
    }

    @Test
    void it_is_told_once_it_is_on_disk() throws Exception {
        disk.full = false;

        assertThat(Seqs.parse(database, "now")).isEqualTo(2);
        assertThat(changes()).contains("\"id\":\"b\"");
    }
}
