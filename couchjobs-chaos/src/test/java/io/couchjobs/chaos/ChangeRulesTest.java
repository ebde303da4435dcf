package io.couchjobs.chaos;

import org.junit.jupiter.api.Test;

/** The jobs that triggers make of changes. */
class ChangeRulesTest extends ForgedHistories {
    @Test
    void documents_whose_newest_states_and_revisions_were_run_are_well() {
        forged.changed("newest-1", "3-a", "2-b")
                .ofChange("job:newest:newest-1", "newest-1", "3-a", "3-a")
                .changed("each-1", "2-a", "2-b")
                .ofChange("job:each:each-1/2-a", "each-1", "2-a", "2-a")
                .ofChange("job:each:each-1/2-b", "each-1", "2-b", "2-b");
        assertWell();
    }

    @Test
    void a_newest_state_that_was_not_run_is_seen() {
        forged.changed("newest-1", "3-a").ofChange("job:newest:newest-1", "newest-1", "3-a", "2-a");
        assertBroken("no change is lost");
    }

    @Test
    void a_leaf_without_a_job_is_seen() {
        forged.changed("each-1", "2-a", "2-b").ofChange("job:each:each-1/2-a", "each-1", "2-a", "2-a");
        assertBroken("no change is lost");
    }

    @Test
    void two_jobs_of_one_revision_are_seen() {
        forged.changed("each-1", "2-a")
                .ofChange("job:each:each-1/2-a", "each-1", "2-a", "2-a")
                .ofChange("job:each:other", "each-1", "2-a", "2-a");
        assertBroken("no change makes two jobs");
    }

    @Test
    void a_job_of_a_document_that_nobody_saved_is_seen() {
        forged.ofChange("job:newest:newest-1", "newest-1", "3-a", "3-a");
        assertBroken("no strangers");
    }
}
