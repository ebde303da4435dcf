package io.couchjobs.engine.trigger;

import static io.couchjobs.testing.SourceDatabases.change;
import static io.couchjobs.testing.SourceDatabases.save;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.WriteRefusedException;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.SteppedParts;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.trigger.Trigger;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A document has changed, and the server does not store the change of its job. */
@ServerTest
class RefusedChangesTest {
    private static final Pattern JOB = Pattern.compile("\"_id\":\"(job:mail:[^\"]+)\"");
    private Proxy proxy;
    private JobQueue queue;
    private SteppedParts parts;
    private CouchDatabase orders;
    private SourceFollower follower;
    private volatile String refusal = "";

    @BeforeEach
    void open(TestDatabase server) {
        proxy = Proxy.before(server.server());
        proxy.detour(new Proxy.Detour() {
            @Override
            public Optional<String> answers(Proxy.Request request) {
                Matcher job = JOB.matcher(request.body());
                boolean isChange = request.isBulkWrite() && request.body().contains("\"_rev\"");
                return !refusal.isEmpty() && isChange && job.find()
                        ? Optional.of("[{\"id\":\"" + job.group(1) + "\"," + refusal + "}]")
                        : Optional.empty();
            }
        });
        queue = TestQueue.open(proxy.door(server));
        parts = new SteppedParts(queue);
        orders = queue.database().server().database(queue.database().name() + "-orders");
        boolean unused = orders.createIfMissing();
        Trigger trigger = Trigger.named("t")
                .source(orders.name())
                .type("mail")
                .from("beginning")
                .build();
        follower = Followers.of(Followers.tools(parts.parts()), trigger, orders);
    }

    @AfterEach
    void close() {
        refusal = "";
        orders.delete();
        parts.close();
        queue.close();
        proxy.close();
    }

    private void slice() {
        var unused = follower.slice(() -> false, () -> true);
    }

    /** The job of an order that is saved once more. */
    private String changed() {
        save(orders, "{'_id':'o1'}");
        slice();
        return change(orders, "o1", "paid", "yes");
    }

    private String revOfJob() {
        return queue.all("mail").findAny().orElseThrow().data().path("rev").asText();
    }

    @Test
    void a_change_of_a_job_on_which_the_server_fails_is_taken_again_by_the_next_step() {
        String rev = changed();
        refusal = "\"error\":\"internal_server_error\",\"reason\":\"No DB shards\"";
        assertThatThrownBy(this::slice).isInstanceOf(WriteRefusedException.class);
        assertThat(follower.position().errors()).isEmpty();

        refusal = "";
        slice();
        assertThat(revOfJob()).isEqualTo(rev);
    }

    @Test
    void a_change_of_a_job_that_is_refused_for_want_of_a_role_can_be_tried_again() {
        String rev = changed();
        refusal = "\"error\":\"forbidden\",\"reason\":\"couchjobs: this needs the role couchjobs-worker\"";
        slice();
        assertThat(follower.position().errors()).singleElement().satisfies(error -> {
            assertThat(error.rev()).isEqualTo(rev);
            assertThat(error.retryable()).isTrue();
        });
    }
}
