package io.couchjobs.engine.trigger;

import static io.couchjobs.testing.SourceDatabases.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.trigger.SourceChange;
import io.couchjobs.trigger.Trigger;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rows of the feed become changes. On a cluster a row may show a leaf that the copies which are read do not have yet. */
class SourceReaderTest extends FollowedOrders {
    private List<String> changes(String... revs) {
        SourceReader reader =
                new SourceReader(mails().deliver(Trigger.Delivery.EVERY).build(), orders);
        return reader.all(new Change("7", "o1", List.of(revs), false, null)).stream()
                .map(SourceChange::rev)
                .toList();
    }

    @Test
    void a_leaf_that_cannot_be_read_yet_is_not_passed() {
        orders.bulkRevisions(List.of(json("{'_id':'o1','_rev':'1-bb','_revisions':{'start':1,'ids':['bb']}}")));
        assertThatThrownBy(() -> changes("1-bb", "1-aa"))
                .isInstanceOf(CouchUnreachableException.class)
                .hasMessageContaining("1-aa");
        orders.bulkRevisions(List.of(json("{'_id':'o1','_rev':'1-aa','_revisions':{'start':1,'ids':['aa']}}")));
        assertThat(changes("1-bb", "1-aa")).containsExactly("1-bb", "1-aa");
    }

    @Test
    void a_leaf_that_comes_while_it_is_looked_for_is_not_passed() {
        orders.bulkRevisions(List.of(
                json("{'_id':'o1','_rev':'1-bb','_revisions':{'start':1,'ids':['bb']}}"),
                json("{'_id':'o1','_rev':'1-aa','_revisions':{'start':1,'ids':['aa']}}")));
        couch.faults().answer(1, request -> request.path().endsWith("/o1"), 404, "missing");
        assertThatThrownBy(() -> changes("1-bb", "1-aa")).isInstanceOf(CouchUnreachableException.class);
    }

    @Test
    void a_leaf_that_somebody_has_written_on_since_is_left_to_the_row_of_that_write() {
        orders.bulkRevisions(List.of(
                json("{'_id':'o1','_rev':'1-bb','_revisions':{'start':1,'ids':['bb']}}"),
                json("{'_id':'o1','_rev':'2-cc','_revisions':{'start':2,'ids':['cc','aa']}}")));
        assertThat(changes("1-bb", "1-aa")).containsExactly("1-bb");
    }
}
