package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.QueueFullException;
import io.couchjobs.testing.OneCopy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Limit;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On one copy: on a cluster an index that is behind may not count the latest jobs yet. */
@ServerTest
class QueueLimitsTest {
    private OneCopy oneCopy;
    private JobQueue queue;

    @BeforeEach
    void open(TestDatabase database) {
        oneCopy = new OneCopy(database);
        queue = TestQueue.open(oneCopy.database());
    }

    @AfterEach
    void close() {
        queue.close();
        oneCopy.close();
    }

    @Test
    void a_full_queue_refuses_new_jobs_and_takes_those_it_has() {
        queue.types().change("email", settings -> settings.with(Limit.QUEUED, 2));
        queue.add(request("email", "1"));
        List<AddResult> results =
                queue.addAll(List.of(request("email", "2"), request("email", "3"), request("fax", "1")));
        assertThat(results)
                .extracting(AddResult::outcome)
                .containsExactly(AddResult.Outcome.ADDED, AddResult.Outcome.REJECTED, AddResult.Outcome.ADDED);
        assertThat(results.get(1).problem()).contains("maxQueued 2", "email:3");
        assertThatThrownBy(() -> queue.add(request("email", "3"))).isInstanceOf(QueueFullException.class);
        assertThatThrownBy(() -> queue.insert(request("email", "3"))).isInstanceOf(QueueFullException.class);
        assertThat(queue.insertIfNew(List.of(request("email", "3")))).containsExactly(false);
        assertThat(queue.add(request("email", "1")).outcome()).isEqualTo(AddResult.Outcome.UNCHANGED);
        assertThat(queue.get("email", "3")).isEmpty();
    }

    @Test
    void a_job_that_is_claimed_makes_room_in_a_full_queue() throws Exception {
        queue.types().change("email", settings -> settings.with(Limit.QUEUED, 1));
        queue.add(request("email", "1"));
        queue.accept(AcceptOptions.of("email")).get(0).finish();
        assertThat(queue.add(request("email", "2")).outcome()).isEqualTo(AddResult.Outcome.ADDED);
    }

    private static JobRequest request(String type, String id) {
        return JobRequest.builder(type).id(id).data(Map.of()).build();
    }
}
