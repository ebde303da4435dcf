package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.PretendedCluster;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How many revisions of each document a database remembers: each write carries them along. */
@ServerTest
class NewDatabaseTest {
    private static final int AS_COUCHDB_HAS_IT = 1000;

    private TestDatabase missing;

    @BeforeEach
    void nameOne(TestDatabase own) {
        assumeTrue(!own.serverName().contains("PouchDB"), "PouchDB Server has no _revs_limit");
        missing = new TestDatabase(own.server(), own.name() + "-new");
    }

    @AfterEach
    void delete() {
        if (missing == null) {
            return;
        }
        try (JobQueue queue = TestQueue.open(missing)) {
            queue.database().delete();
        }
    }

    @Test
    @NeedsOneCopy("the number of revisions that CouchDB remembers is left as it is")
    void a_new_database_remembers_a_hundred_revisions() {
        assertThat(revisionLimit(TestQueue.builder(missing))).isEqualTo(100);
    }

    @Test
    void one_that_is_there_is_left_as_it_is() {
        try (JobQueue first = TestQueue.open(missing)) {
            first.database().putRevisionLimit(700);
        }
        assertThat(revisionLimit(TestQueue.builder(missing))).isEqualTo(700);
    }

    @Test
    void one_with_copies_on_other_nodes_remembers_as_many_as_ever() throws Exception {
        try (Proxy proxy = Proxy.before(missing.server())) {
            proxy.detour(new PretendedCluster());
            assertThat(revisionLimit(TestQueue.builder(proxy.door(missing)))).isEqualTo(AS_COUCHDB_HAS_IT);
        }
    }

    @Test
    void one_that_is_a_site_among_others_remembers_as_many_as_ever() {
        assertThat(revisionLimit(TestQueue.builder(missing).site("berlin"))).isEqualTo(AS_COUCHDB_HAS_IT);
    }

    private static int revisionLimit(JobQueueBuilder builder) {
        try (JobQueue queue = builder.open()) {
            return queue.database().revisionLimit();
        }
    }
}
