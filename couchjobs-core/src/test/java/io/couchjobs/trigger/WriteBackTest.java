package io.couchjobs.trigger;

import static io.couchjobs.testing.SourceDatabases.change;
import static io.couchjobs.testing.SourceDatabases.save;
import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.Worker;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The ends of jobs that triggers write into the documents of their source. */
@ServerTest
class WriteBackTest extends OrderMails {
    @Test
    void the_end_of_a_job_is_written_into_its_document_and_that_makes_no_job() throws Exception {
        sources.assumeNotPouchDb("has no selectors in its feed");
        queue.triggers().put(mails().writeBack("/status").build());
        save(orders, "{'_id':'o1','total':1}");
        TestQueue.until(() ->
                orders.get("o1").orElseThrow().at("/status/status").asText().equals("success"));
        assertThat(orders.get("o1").orElseThrow().path("total").asInt()).isEqualTo(1);
        change(orders, "o1", "total", "2");
        TestQueue.until(() -> ran.size() == 2);
        TestQueue.until(
                () -> orders.get("o1").orElseThrow().at("/status/of").asText().startsWith("3-"));
        save(orders, "{'_id':'o2'}");
        awaitRuns(3);
    }

    @Test
    void a_job_that_succeeds_after_a_retry_is_written_back_and_is_not_run_once_more() throws Exception {
        sources.assumeNotPouchDb("has no selectors in its feed");
        queue.triggers().put(mails().type("flaky").writeBack("/status").build());
        List<Long> fences = Collections.synchronizedList(new ArrayList<>());
        try (Worker flaky = queue.worker()
                .handler("flaky", (data, context) -> {
                    fences.add(context.fence());
                    if (fences.size() == 1) {
                        throw new PermanentJobException("the first run fails");
                    }
                    return Map.of();
                })
                .start()) {
            save(orders, "{'_id':'o1'}");
            TestQueue.until(() -> "failed".equals(statusOf("o1")));
            queue.retryNow(queue.all("flaky").findFirst().orElseThrow().id());
            TestQueue.until(() -> "success".equals(statusOf("o1")));
            save(orders, "{'_id':'o2'}");
            TestQueue.until(() -> "success".equals(statusOf("o2")));
            assertThat(flaky.stats().claimed()).isEqualTo(3);
        }
        assertThat(fences).hasSize(3);
    }

    @Test
    void writing_back_the_ends_of_two_revisions_makes_no_third_job() throws Exception {
        sources.assumeNotPouchDb("has no selectors in its feed");
        queue.types().change("mail", settings -> settings.withPaused(true));
        queue.triggers()
                .put(mails().deliver(Trigger.Delivery.EVERY)
                        .writeBack("/status")
                        .build());
        save(orders, "{'_id':'o1','n':'1'}");
        TestQueue.until(() -> queue.all("mail").count() == 1);
        String second = change(orders, "o1", "n", "2");
        TestQueue.until(() -> queue.all("mail").count() == 2);
        queue.types().change("mail", settings -> settings.withPaused(false));
        awaitRuns(2);
        TestQueue.until(
                () -> orders.get("o1").orElseThrow().path("_rev").asText().startsWith("4-"));
        save(orders, "{'_id':'o2'}");
        TestQueue.until(() -> "success".equals(statusOf("o2")));
        assertThat(ran).extracting(data -> data.path("id").asText()).containsExactly("o1", "o1", "o2");
        assertThat(ran).extracting(data -> data.path("rev").asText()).contains(second);
    }

    @Test
    void two_triggers_that_share_a_place_make_no_jobs_of_the_ends_of_each_other() throws Exception {
        sources.assumeNotPouchDb("has no selectors in its feed");
        queue.triggers().put(mails().writeBack("/status").build());
        queue.triggers()
                .put(Trigger.named("bills")
                        .source(orders.name())
                        .type("mail")
                        .writeBack("/status")
                        .build());
        save(orders, "{'_id':'o1'}");
        TestQueue.until(() -> revOf("o1").startsWith("3-"));
        save(orders, "{'_id':'o2'}");
        TestQueue.until(() -> revOf("o2").startsWith("3-"));
        awaitRuns(4);
    }

    @Test
    void an_unfinished_job_is_not_run_once_more_when_its_trigger_is_sent_to_now() throws Exception {
        sources.assumeNotPouchDb("has no selectors in its feed");
        queue.types().change("mail", settings -> settings.withPaused(true));
        queue.triggers().put(mails().writeBack("/status").build());
        save(orders, "{'_id':'o1'}");
        TestQueue.until(() -> queue.all("mail").count() == 1);
        queue.triggers().replay("mails", "now");
        queue.types().change("mail", settings -> settings.withPaused(false));
        TestQueue.until(() -> "success".equals(statusOf("o1")));
        save(orders, "{'_id':'o2'}");
        TestQueue.until(() -> "success".equals(statusOf("o2")));
        awaitRuns(2);
    }

    private String revOf(String order) {
        return orders.get(order).orElseThrow().path("_rev").asText();
    }

    private String statusOf(String order) {
        return orders.get(order).orElseThrow().at("/status/status").asText();
    }
}
