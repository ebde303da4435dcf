package io.couchjobs.scope;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The question whether a job was killed is decided twice: by {@link Ending.Outcome} for one job, by the view {@code status} for the counts. */
@ServerTest
class OutcomeTwinTest {
    private static final Scope SCOPE = Scope.of("index", 1);

    @Test
    void java_and_javascript_agree_on_who_was_killed(TestDatabase database) {
        List<ObjectNode> documents = new ArrayList<>();
        for (String status : List.of("waiting", "stuck", "success", "failed", "cancelled")) {
            for (@Nullable String kind : new String[] {null, "killed", "failed", "cancelled"}) {
                for (@Nullable String moment : new String[] {null, "stopped", "failed", "expired", "released"}) {
                    documents.add(document("d" + documents.size(), status, kind, moment));
                }
            }
        }
        Map<Ending.Outcome, Long> expected = new EnumMap<>(Ending.Outcome.class);
        documents.forEach(document ->
                Ending.Outcome.of(Job.parse(document)).ifPresent(outcome -> expected.merge(outcome, 1L, Long::sum)));
        assertThat(expected)
                .containsOnlyKeys(
                        Ending.Outcome.FINISHED,
                        Ending.Outcome.KILLED,
                        Ending.Outcome.CRASHED,
                        Ending.Outcome.CANCELLED);
        try (JobQueue queue = TestQueue.open(database)) {
            documents.forEach(queue.database()::put);
            Scopes.Stats stats = queue.scopes().stats(SCOPE);
            assertThat(stats.killed()).isEqualTo(expected.get(Ending.Outcome.KILLED));
            assertThat(stats.crashed()).isEqualTo(expected.get(Ending.Outcome.CRASHED));
            assertThat(stats.cancelled()).isEqualTo(expected.get(Ending.Outcome.CANCELLED));
            assertThat(stats.finished()).isEqualTo(expected.get(Ending.Outcome.FINISHED));
            assertThat(stats.accepted()).isEqualTo(documents.size());
        }
    }

    private static ObjectNode document(String id, String status, @Nullable String kind, @Nullable String moment) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("_id", SCOPE.job(id).docId()).put("status", status).put("attempt", 1);
        if (kind != null) {
            document.putArray("errors").addObject().put("kind", "failed");
            document.withArray("errors").addObject().put("kind", kind).put("message", "m");
        }
        ObjectNode times = document.putObject("times").put("created", 1).put("started", 3);
        if (moment != null) {
            times.put("stopped", 2).put(moment, 5).put("finished", 5);
        }
        return document;
    }
}
