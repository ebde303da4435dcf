package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.embedded.Faults;
import io.couchjobs.engine.index.DesignDocument;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.testing.FaultyServer;
import io.couchjobs.testing.TestQueue;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The index of a new version is being built while the one of an older version answers. */
@Isolated("looks at what all threads do")
class UpgradeTest extends FaultyServer {
    private static final String OLDER = "_design/jobs-0123abcd";

    @Test
    void the_older_index_answers_while_the_new_one_is_not_built() {
        install(OLDER);
        neverBuild();
        add("email", "1");
        assertThat(queue.types().counts()).containsKey("email");
    }

    @Test
    void the_most_up_to_date_of_several_older_indexes_answers() {
        install(OLDER);
        install("_design/jobs-ffffffff");
        for (int i = 0; i < 10; i++) {
            add("email", "old-" + i);
        }
        ViewResult built =
                queue.database().view(ViewQuery.of("jobs-0123abcd", "due").limit(1));
        assertThat(built.rows()).isNotEmpty();
        neverBuild();
        couch.faults().cut(1_000_000, request -> request.path().contains("jobs-ffffffff/_view/"));
        add("email", "1");
        assertThat(queue.types().counts()).containsKey("email");
    }

    /** 401 and 403 while logins are renewed or rights change, 404 by a node that does not have the new document yet. */
    @ParameterizedTest
    @ValueSource(ints = {500, 400, 401, 403, 404})
    void a_server_that_fails_meanwhile_is_asked_again_until_the_index_is_built(int status) throws Exception {
        install(OLDER);
        AtomicInteger asked = new AtomicInteger();
        couch.faults().answer(1_000_000, request -> isNew(request) && asked.incrementAndGet() <= 2, status);
        add("email", "1");
        TestQueue.until(() -> queue.types().counts().containsKey("email") && asked.get() > 3);
    }

    @Test
    void a_queue_that_is_closed_does_not_wait_for_the_index_any_more() throws Exception {
        install(OLDER);
        neverBuild();
        add("email", "1");
        assertThat(queue.types().counts()).containsKey("email");
        assertThat(isBeingBuilt()).isTrue();
        queue.close();
        TestQueue.until(() -> !isBeingBuilt());
    }

    @Test
    void one_loop_asks_for_the_new_index_however_often_the_older_one_is_asked_for_a_view_that_it_lacks() {
        install(OLDER, "conflicts");
        neverBuild();
        try (DesignDocuments designs = new DesignDocuments(queue.database())) {
            for (int i = 0; i < 3; i++) {
                assertThat(new JobIndex(designs).hasConflicts("email")).isFalse();
            }
            assertThat(loops()).isEqualTo(1);
        }
    }

    private void neverBuild() {
        couch.faults().cut(1_000_000, UpgradeTest::isNew);
    }

    private static boolean isNew(Faults.Request request) {
        return request.path().contains(DesignDocument.JOBS.versionedName() + "/_view/");
    }

    private void install(String id, String... lackingViews) {
        ObjectNode older = DesignDocument.JOBS.toDocument();
        older.put("_id", id);
        ((ObjectNode) older.path("views")).remove(List.of(lackingViews));
        queue.database().put(older);
    }

    private static boolean isBeingBuilt() {
        return loops() > 0;
    }

    private static long loops() {
        return Thread.getAllStackTraces().values().stream()
                .filter(frames -> Arrays.stream(frames)
                        .anyMatch(frame -> frame.getClassName().equals(DesignDocuments.class.getName())
                                && frame.getMethodName().equals("build")))
                .count();
    }
}
