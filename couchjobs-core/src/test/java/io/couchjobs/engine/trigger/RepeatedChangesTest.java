package io.couchjobs.engine.trigger;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.create.AddRules;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.PretendedCluster;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.SteppedParts;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.trigger.SourceChange;
import io.couchjobs.trigger.Trigger;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Very many changes come again, as they do after a crash, and their jobs are there already. */
@ServerTest
class RepeatedChangesTest {
    private static final int VERY_MANY = 1_100;
    private static final int A_FEW_HUNDRED = 500;

    private final Trigger trigger =
            Trigger.named("t").source("orders").type("mail").build();
    private Proxy proxy;
    private JobQueue queue;
    private SteppedParts parts;

    @BeforeEach
    void open(TestDatabase server) {
        proxy = Proxy.before(server.server());
        queue = TestQueue.open(proxy.door(server));
        parts = new SteppedParts(queue);
    }

    @AfterEach
    void close() {
        proxy.clear();
        parts.close();
        queue.close();
        proxy.close();
    }

    @Test
    void a_cluster_is_asked_for_a_few_hundred_of_these_at_a_time() {
        List<Integer> asked = new CopyOnWriteArrayList<>();
        proxy.detour(new PretendedCluster() {
            @Override
            public String rewrites(Proxy.Request request, String answer) {
                if (request.uri().getPath().endsWith("/_bulk_get")) {
                    asked.add(request.body().split("job:mail:", -1).length - 1);
                }
                return super.rewrites(request, answer);
            }
        });
        QueueParts there = parts.parts();
        JobMaker maker = new JobMaker(
                there.store(), new Creator(there.store(), there.clock()), new AddRules(there, false), there.clock());
        List<Wanted> wanted =
                IntStream.range(0, VERY_MANY).mapToObj(this::wanted).toList();

        assertThat(maker.make(trigger, 0, wanted, change -> true))
                .allMatch(result -> result.outcome() instanceof Outcome.Made);
        assertThat(maker.make(trigger, 0, wanted, change -> true))
                .allMatch(result -> result.outcome() instanceof Outcome.Known);
        assertThat(asked).allMatch(jobs -> jobs <= A_FEW_HUNDRED);
        assertThat(asked.stream().mapToInt(Integer::intValue).sum()).isEqualTo(VERY_MANY);
    }

    private Wanted wanted(int n) {
        SourceChange change = new SourceChange("orders", "o" + n, "1-a", String.valueOf(n), false, null);
        JobRequest job = trigger.plan(change, "", Instant.EPOCH).jobs().get(0);
        return new Wanted(job, change, job.scheduledTime());
    }
}
