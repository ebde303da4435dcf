package io.couchjobs.engine.trigger;

import static io.couchjobs.testing.SourceDatabases.json;
import static io.couchjobs.testing.SourceDatabases.save;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchUnauthorizedException;
import io.couchjobs.engine.lifecycle.WriteBack;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobPhase;
import io.couchjobs.trigger.Trigger;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ends of jobs are written into the documents that the jobs were made from. */
class EndTakerTest extends FollowedOrders {
    private static final Trigger TRIGGER = mails().writeBack("/status").build();

    private SourceFollower ends() {
        return new SourceFollower(
                tools,
                queue.database(),
                tools.starts().position(TRIGGER, Positions.ENDS, queue.database(), false),
                tools.endTaker(TRIGGER, JsonPointer.valueOf("/status")));
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

    @ParameterizedTest
    @EnumSource(Trigger.Delivery.class)
    void a_trigger_that_is_sent_back_makes_jobs_of_documents_with_ends_once_more_and_only_once(
            Trigger.Delivery delivery) {
        Trigger trigger = mails().deliver(delivery).writeBack("/status").build();
        SourceFollower ends = ends();
        save(orders, "{'_id':'o1'}");
        SourceFollower first = follower(trigger);
        var unused0 = slice(first);
        finishAll(ends);
        var unused1 = slice(first);
        Position unused2 = tools.positions()
                .change(first.position(), present -> present.replayed(Position.BEGINNING, Instant.now()));

        SourceFollower next = follower(trigger);
        var unused3 = slice(next);
        assertThat(waiting()).hasSize(1);
        finishAll(ends);
        removeAll(); // as retention does
        var unused4 = slice(next);
        assertThat(waiting()).isEmpty();
        assertThat(statusOf("o1")).isEqualTo("success");
    }

    private List<Job> waiting() {
        return queue.all("mail").filter(job -> job.phase() == JobPhase.PENDING).toList();
    }

    private void finishAll(SourceFollower ends) {
        waiting().forEach(job -> queue.claim(job.id()).orElseThrow().finish());
        var unused = slice(ends);
    }

    private void removeAll() {
        queue.all("mail").toList().forEach(job -> queue.remove(job.id()));
    }

    @Test
    void the_end_of_another_triggers_job_hides_no_change() {
        SourceFollower ends = ends();
        save(orders, "{'_id':'o1'}");
        var unused0 = slice(follower(TRIGGER));
        finishAll(ends);
        Trigger other = Trigger.named("other")
                .source("orders")
                .type("bill")
                .from("beginning")
                .writeBack("/status")
                .build();
        var unused1 = slice(follower(other));
        assertThat(queue.all("bill")).hasSize(1);
    }

    private static Job ended(int fence, long at) {
        return Job.parse(
                json("{'_id':'job:mail:1','_rev':'2-a','status':'success','data':{},'trigger':{'rev':'1-a'},'fence':"
                        + fence + ",'times':{'finished':" + at + "}}"));
    }

    private static ObjectNode written(ObjectNode document, Job end) {
        return WriteBack.write(document, JsonPointer.valueOf("/status"), end);
    }

    @Test
    void an_end_that_is_written_late_does_not_replace_that_of_a_later_run() {
        ObjectNode later = written(json("{'_id':'o1','_rev':'1-a'}"), ended(2, 2_000));
        assertThat(written(later, ended(1, 1_000))).isSameAs(later);
        assertThat(written(later, ended(3, 1_999))).as("clocks may differ").isNotEqualTo(later);
        assertThat(written(later, ended(1, 3_000))).as("a new job of that id").isNotEqualTo(later);
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
                        403,
                        "You are not allowed to access this db.");
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

    @Test
    void ends_wait_while_the_server_of_the_source_refuses_the_account() {
        SourceFollower ends = ends();
        save(orders, "{'_id':'o1'}");
        var unused0 = slice(follower(TRIGGER));
        queue.claim(queue.all("mail").findAny().orElseThrow().id())
                .orElseThrow()
                .finish();
        couch.faults()
                .answer(
                        1,
                        request ->
                                request.method().equals("GET") && request.path().contains("/orders/o1"),
                        401,
                        "Name or password is incorrect.");
        assertThatThrownBy(() -> slice(ends)).isInstanceOf(CouchUnauthorizedException.class);
        assertThat(ends.position().errors()).isEmpty();
        var unused1 = slice(ends);
        assertThat(statusOf("o1")).isEqualTo("success");
    }
}
