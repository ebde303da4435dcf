package io.couchjobs.chaos;

import io.couchjobs.chaos.Entry.What;
import io.couchjobs.job.JobStatus;
import org.junit.jupiter.api.Test;

/** What the database holds in the end. */
class DatabaseRulesTest extends ForgedHistories {
    @Test
    void a_job_that_does_not_come_to_an_end_is_seen() {
        ofOneOwner().made(OTHER).document("{'_id': '" + OTHER + "'}");
        assertBroken("all comes to an end");
    }

    @Test
    void a_lock_that_is_left_is_seen() {
        ofOneOwner()
                .creator(1, What.ADDING, OTHER, "SHORT 0 ")
                .document("{'_id': '" + OTHER
                        + "', 'status': 'success', 'lock': {'token': 't', 'worker': 'w', 'since': 1}}");
        assertBroken("all jobs are jobs");
    }

    @Test
    void a_conflict_that_is_left_is_seen() {
        ofOneOwner().document("{'_id': 'type:short', '_conflicts': ['1-a']}");
        assertBroken("no conflicts are left");
    }

    @Test
    void an_index_that_does_not_count_what_is_there_is_seen() {
        ofOneOwner().count("short", JobStatus.SUCCESS, 2);
        assertBroken("counts agree");
    }
}
