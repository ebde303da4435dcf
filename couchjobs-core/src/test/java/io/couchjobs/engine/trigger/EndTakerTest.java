package io.couchjobs.engine.trigger;

import static io.couchjobs.testing.SourceDatabases.save;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonPointer;
import io.couchjobs.trigger.Trigger;
import org.junit.jupiter.api.Test;

/** Ends of jobs are written into the documents that the jobs were made from. */
class EndTakerTest extends FollowedOrders {
    private static final Trigger TRIGGER = mails().writeBack("/status").build();

    private SourceFollower ends() {
        return new SourceFollower(
                queue.database(),
                tools.positions(),
                tools.starts().position(TRIGGER, Starts.ENDS, queue.database(), false),
                tools.endTaker(TRIGGER, JsonPointer.valueOf("/status")),
                tools.clock(),
                tools.environment());
    }

    private String statusOf(String order) {
        return orders.get(order).orElseThrow().at("/status/status").asText();
    }

    @Test
    void an_end_from_before_the_first_look_at_the_ends_is_written() {
        var unused0 = queue.triggers().put(TRIGGER);
        save(orders, "{'_id':'o1'}");
        var unused1 = slice(follower(TRIGGER));
        queue.claim(queue.all("mail").findAny().orElseThrow().id())
                .orElseThrow()
                .finish();
        var unused2 = slice(ends());
        assertThat(statusOf("o1")).isEqualTo("success");
    }

    @Test
    void an_end_that_the_source_refuses_is_listed_holds_up_no_other_and_is_written_when_it_is_tried_again() {
        SourceFollower ends = ends();
        save(orders, "{'_id':'o1'}");
        save(orders, "{'_id':'o2'}");
        var unused0 = slice(follower(TRIGGER));
        queue.all("mail")
                .toList()
                .forEach(job -> queue.claim(job.id()).orElseThrow().finish());
        couch.faults()
                .answer(
                        1,
                        request ->
                                request.method().equals("GET") && request.path().contains("/orders/o1"),
                        401);
        var unused1 = slice(ends);
        assertThat(statusOf("o1")).isEmpty();
        assertThat(statusOf("o2")).isEqualTo("success");
        assertThat(ends.position().errors()).singleElement().satisfies(error -> assertThat(error.retryable())
                .isTrue());

        Position unused2 = tools.positions().change(ends.position(), Position::retrying);
        SourceFollower next = ends();
        var unused3 = slice(next);
        assertThat(statusOf("o1")).isEqualTo("success");
        assertThat(next.position().errors()).isEmpty();
    }
}
