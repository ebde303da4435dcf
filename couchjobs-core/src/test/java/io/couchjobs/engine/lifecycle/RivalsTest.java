package io.couchjobs.engine.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.Job;
import io.couchjobs.testing.Jobs;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Leaves beside a claim of the third revision, which has the fence 2. */
class RivalsTest {
    private static final String BASE = "3-base";
    private static final ObjectNode CLAIM = leaf(owned("mine", 2), "mine", "base", "b", "a");

    @Test
    void a_claim_that_is_alone_has_no_rivals() {
        assertThat(rivals()).isEmpty();
        assertThat(rivals(leaf("'_deleted':true,'fence':9,'resolved':{'at':1}", "r", "x", "a")))
                .isEmpty();
    }

    @Test
    void a_reading_without_the_claim_proves_nothing() {
        ObjectNode older = leaf("'status':'waiting','fence':1", "base", "b", "a");
        assertThat(Rivals.of(Job.parse(plain(CLAIM)), BASE, List.of(older))).isEmpty();
    }

    @Test
    void another_claim_of_the_same_revision_is_no_rival_withdrawn_or_not() {
        assertThat(rivals(leaf(owned("other", 2), "o", "base", "b", "a"))).isEmpty();
        assertThat(rivals(leaf(withdrawn("other", 2), "w", "o", "base", "b", "a")))
                .isEmpty();
    }

    @Test
    void a_claim_of_another_revision_is_a_rival() {
        assertThat(rivals(leaf(owned("other", 2), "o", "x", "b", "a"))).hasSize(1);
        assertThat(rivals(leaf(withdrawn("other", 3), "w", "o", "p", "base", "b", "a")))
                .hasSize(1);
        assertThat(rivals(leaf(owned("other", 2), "o")))
                .as("nobody knows of which")
                .hasSize(1);
    }

    /** A change that keeps the fence, such as of the priority, gives its claim the fence of the claims before. */
    @Test
    void a_claim_of_a_later_revision_is_a_rival_until_its_claimer_has_taken_it_back() {
        assertThat(rivals(leaf(owned("other", 2), "o", "changed", "base", "b", "a")))
                .hasSize(1);
        assertThat(rivals(leaf(withdrawn("other", 2), "w", "o", "changed", "base", "b", "a")))
                .isEmpty();
        assertThat(rivals(leaf(
                        withdrawn("other", 2).replace("no quorum", "expired"), "w", "o", "changed", "base", "b", "a")))
                .hasSize(1);
    }

    @Test
    void every_other_live_leaf_is_a_rival() {
        for (String fields : List.of(
                "'status':'waiting','fence':1",
                "'status':'success','fence':1",
                "'status':'cancelled','fence':2",
                "'status':'nonsense'")) {
            assertThat(rivals(leaf(fields, "o", "base", "b", "a"))).as(fields).hasSize(1);
        }
    }

    @Test
    void a_tombstone_is_a_rival_when_its_fence_is_at_least_that_of_what_was_claimed() {
        for (String by : List.of("", ",'removedBy':'retention'")) {
            assertThat(rivals(leaf("'_deleted':true,'fence':1" + by, "r", "x", "a")))
                    .hasSize(1);
            assertThat(rivals(leaf("'_deleted':true,'fence':0" + by, "r", "x", "a")))
                    .isEmpty();
        }
    }

    @Test
    void an_end_is_overtaken_by_a_greater_fence_only() {
        Job end = Job.parse(plain(leaf("'status':'success','fence':2", "e", "mine", "base", "b", "a")));
        ObjectNode itself = plain(end.toDocument());
        for (String later : List.of(owned("next", 3), "'status':'waiting','fence':3", "'_deleted':true,'fence':3")) {
            assertThat(Rivals.haveOvertaken(end, List.of(itself, leaf(later, "l", "x", "a"))))
                    .as(later)
                    .isTrue();
        }
        for (String earlier : List.of(
                withdrawn("other", 3),
                "'status':'waiting','fence':2",
                "'_deleted':true,'fence':9,'resolved':{'at':1}")) {
            assertThat(Rivals.haveOvertaken(end, List.of(itself, leaf(earlier, "l", "x", "a"))))
                    .as(earlier)
                    .isFalse();
        }
    }

    /** Its run is unknown to a leaf that parted before the claim, whose fence says nothing then. */
    @Test
    void an_owner_is_not_overtaken_by_a_leaf_that_its_end_will_outweigh() {
        ObjectNode waiting = leaf("'status':'waiting','fence':9", "l", "k", "x", "b", "a");
        ObjectNode ended = leaf("'status':'success','attempt':1,'fence':2", "e", "mine", "base", "b", "a");
        assertThat(Rivals.haveOvertaken(Job.parse(plain(CLAIM)), List.of(CLAIM, waiting)))
                .isFalse();
        assertThat(Rivals.haveOvertaken(Job.parse(plain(ended)), List.of(ended, waiting)))
                .isFalse();
        for (ObjectNode later : List.of(
                leaf("'status':'waiting','fence':9", "l", "mine", "base", "b", "a"),
                leaf("'status':'waiting','attempt':1,'fence':9", "l", "k", "x", "b", "a"),
                leaf(owned("next", 9), "l", "k", "x", "b", "a"))) {
            assertThat(Rivals.haveOvertaken(Job.parse(plain(CLAIM)), List.of(CLAIM, later)))
                    .as("%s", later)
                    .isTrue();
        }
    }

    private static List<ObjectNode> rivals(ObjectNode... others) {
        List<ObjectNode> leaves = new ArrayList<>(List.of(others));
        leaves.add(CLAIM);
        return Rivals.of(Job.parse(plain(CLAIM)), BASE, leaves).orElseThrow();
    }

    private static ObjectNode plain(ObjectNode leaf) {
        ObjectNode plain = leaf.deepCopy();
        plain.remove("_revisions");
        return plain;
    }

    /** A leaf with its history, the newest revision first. */
    private static ObjectNode leaf(String fields, String... hashes) {
        ObjectNode leaf =
                Jobs.json("{'_id':'job:email:42','_rev':'" + hashes.length + "-" + hashes[0] + "'," + fields + "}");
        ObjectNode revisions = leaf.putObject("_revisions").put("start", hashes.length);
        List.of(hashes).forEach(revisions.putArray("ids")::add);
        return leaf;
    }

    private static String owned(String token, int fence) {
        return "'status':'running','fence':" + fence + ",'lock':{'token':'" + token + "','worker':'w'}";
    }

    private static String withdrawn(String token, int fence) {
        return owned(token, fence).replace("'}", "','withdrawn':{'at':5,'reason':'no quorum'}}");
    }
}
