package io.couchjobs.chaos;

import static io.couchjobs.chaos.Forged.claim;

import io.couchjobs.chaos.Entry.What;
import io.couchjobs.chaos.Forged.Claim;
import org.junit.jupiter.api.Test;

/** The items of an array. */
class ArrayRulesTest extends ForgedHistories {
    private static final String CHUNK = "job:items:a:000001";
    private static final Claim OF_CHUNK = claim(CHUNK, 1);
    private static final Claim NEXT_OF_CHUNK = claim(CHUNK, 2);

    @Test
    void an_array_whose_items_have_ended_is_well() {
        array("ss.", "ssf", "failed");
        assertWell();
    }

    @Test
    void an_item_that_was_not_run_is_seen() {
        array("s..", "ss.", "failed");
        assertBroken("items are run");
    }

    @Test
    void an_array_that_succeeds_with_a_failed_item_is_seen() {
        array("ss.", "ssf", "success");
        assertBroken("items that fail are told");
    }

    @Test
    void a_stored_end_of_an_item_that_was_undone_is_seen() {
        array("ss.", "sff", "failed");
        assertBroken("stored ends of items stay");
    }

    @Test
    void a_chunk_that_is_run_again_after_its_end_is_seen() {
        array("ss.", "ssf", "failed").run(17, OF_CHUNK, What.OUTCOME, "FAILED").run(20, NEXT_OF_CHUNK, What.BEGIN);
        assertBroken("what is stored stays");
    }

    @Test
    void an_end_of_an_item_that_nobody_ran_is_seen() {
        array("ss.", "sss", "success");
        assertBroken("ends of items are of runs");
    }

    @Test
    void an_item_that_failed_and_that_nobody_ran_is_seen() {
        array("ss..", "ssff", "failed");
        assertBroken("ends of items are of runs");
    }

    @Test
    void a_chunk_that_has_lost_an_item_is_seen() {
        array("ss.", "ssf", "failed").creator(1, What.ADDED, CHUNK, "4");
        assertBroken("nothing is lost");
    }

    @Test
    void an_item_whose_end_is_stored_and_that_is_run_again_is_seen_on_one_node() {
        array("ss.", "ssf", "failed").run(20, NEXT_OF_CHUNK, What.BEGIN).run(21, NEXT_OF_CHUNK, What.ITEM_BEGIN, "1");
        assertWell();
        forged.oneNode();
        assertBroken("stored ends of items stay");
    }

    @Test
    void a_job_that_waits_for_an_array_begins_after_its_last_item() {
        array("ss.", "sss", "success").run(20, OF_CHUNK, What.ITEM_DONE, "2");
        heldBy(CHUNK, 21);
        assertWell();
    }

    @Test
    void a_job_that_begins_before_the_last_item_of_the_array_that_it_waits_for_is_seen() {
        array("ss.", "sss", "success").run(20, OF_CHUNK, What.ITEM_DONE, "2");
        heldBy(CHUNK, 19);
        assertBroken("not before the others");
    }

    /** An array of one chunk, whose first three items are run. The third one does not succeed. */
    private Forged array(String stored, String states, String status) {
        return forged.creator(1, What.ADDING, CHUNK, "ITEMS 0 ")
                .creator(2, What.ADDED, CHUNK, Integer.toString(states.length()))
                .run(10, OF_CHUNK, What.BEGIN, "chunk")
                .run(11, OF_CHUNK, What.ITEM_BEGIN, "0")
                .run(12, OF_CHUNK, What.ITEM_DONE, "0")
                .run(13, OF_CHUNK, What.ITEM_BEGIN, "1")
                .run(14, OF_CHUNK, What.ITEM_DONE, "1")
                .run(15, OF_CHUNK, What.ITEMS_STORED, stored)
                .run(16, OF_CHUNK, What.ITEM_BEGIN, "2")
                .document("{'_id': '" + CHUNK + "', 'status': '" + status
                        + "', 'fence': 2, 'array': {'first': 0, 'states': '" + states + "'}}");
    }

    private void heldBy(String other, long begin) {
        forged.creator(1, What.ADDING, JOB, "HELD 0 " + other)
                .creator(2, What.ADDED, JOB)
                .run(begin, FIRST, "done", 40, "SUCCEEDED")
                .success(FIRST);
    }
}
