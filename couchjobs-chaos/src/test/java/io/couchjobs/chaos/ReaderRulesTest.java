package io.couchjobs.chaos;

import static io.couchjobs.chaos.Forged.claim;

import io.couchjobs.chaos.Entry.What;
import org.junit.jupiter.api.Test;

/** Which ends readers are told. */
class ReaderRulesTest extends ForgedHistories {
    @Test
    void an_end_that_a_reader_was_told_and_that_stands_is_well() {
        ofOneOwner().reader(0, What.FOLLOWS).told(25, FIRST, "SUCCESS " + FIRST.token());
        assertWell();
    }

    @Test
    void an_end_that_a_reader_was_told_and_that_does_not_stand_is_seen() {
        ofTwoOwners().told(16, FIRST, "SUCCESS " + FIRST.token());
        assertBroken("told ends stand");
    }

    @Test
    void a_reader_that_was_told_that_a_job_is_gone_which_is_there_is_seen() {
        ofOneOwner().told(15, claim(JOB, 0), Entry.GONE);
        assertBroken("told ends stand");
    }

    @Test
    void a_reader_that_is_not_told_an_end_is_seen() {
        ofOneOwner().reader(0, What.FOLLOWS);
        assertBroken("ends are told");
    }

    @Test
    void a_reader_that_knows_that_it_missed_changes_need_not_be_told_the_end() {
        ofOneOwner().reader(0, What.FOLLOWS).reader(5, What.MISSED);
        assertWell();
    }

    @Test
    void a_reader_that_missed_changes_is_told_the_ends_of_later_jobs() {
        forged.reader(0, What.FOLLOWS).reader(5, What.MISSED);
        forged.creator(6, What.ADDING, JOB, "SHORT 0 ")
                .run(10, FIRST, "done", 20, "SUCCEEDED")
                .success(FIRST);
        assertBroken("ends are told");
    }

    @Test
    void a_reader_that_is_not_told_the_end_of_a_job_of_a_change_is_seen() {
        forged.reader(0, What.FOLLOWS)
                .changed("newest-1", "3-a")
                .ofChange("job:newest:newest-1", "newest-1", "3-a", "3-a");
        assertBroken("ends are told");
    }

    @Test
    void the_first_end_of_a_job_that_is_added_again_may_be_told() {
        ofOneOwner()
                .told(25, FIRST, "SUCCESS " + FIRST.token())
                .creator(29, What.ADDING_AGAIN, JOB)
                .run(30, SECOND, "done", 40, "SUCCEEDED");
        forged.withoutDocuments().success(SECOND);
        assertWell();
    }
}
