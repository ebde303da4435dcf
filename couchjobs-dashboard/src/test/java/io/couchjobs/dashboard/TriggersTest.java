package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.trigger.TriggerBuilder;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the pages of triggers ask. Nobody follows: positions are written by hand. */
@ServerTest
@Timeout(120)
class TriggersTest {
    private JobQueue queue;
    private CouchDatabase orders;
    private Dashboard dashboard;
    private Browser browser;

    @BeforeEach
    void open(TestDatabase database) {
        queue = Queues.of(database);
        orders = queue.database().server().database(database.name() + "-orders");
        boolean unused = orders.createIfMissing();
        queue.triggers().put(mails().build());
        dashboard = Dashboard.of(queue).listen("127.0.0.1", 0);
        browser = new Browser(dashboard.url());
    }

    @AfterEach
    void close() {
        dashboard.close();
        orders.delete();
        queue.close();
    }

    private TriggerBuilder mails() {
        return Trigger.named("mails").source(orders.name()).type("mail");
    }

    private int post(String action, String name, String from) throws IOException, InterruptedException {
        return browser.post("triggers", body(action, name, from)).statusCode();
    }

    private static Map<String, Object> body(String action, String name, String from) {
        return Map.of("action", action, "name", name, "from", from);
    }

    private String done(String action, String from) throws IOException, InterruptedException {
        var answered = browser.post("triggers", body(action, "mails", from));
        assertThat(answered.statusCode()).as(answered.body()).isEqualTo(200);
        return new JsonMapper().readTree(answered.body()).path("done").asText();
    }

    private void failed() {
        queue.database()
                .put(Queues.failed(queue, "follow:mails:" + orders.name(), "o1", "1-a", "no field /mail")
                        .put("jobs", 3)
                        .put("problem", "403 you may not")
                        .put("behind", 1));
    }

    @Test
    void triggers_are_listed_with_how_far_they_are_and_what_is_wrong(TestDatabase database) throws Exception {
        orders.put(JsonNodeFactory.instance.objectNode().put("_id", "o1"));
        failed();
        queue.database()
                .put(JsonNodeFactory.instance
                        .objectNode()
                        .put("_id", "trigger:broken")
                        .put("typ", "mail"));
        JsonNode list = browser.json("triggers");
        Map<String, Object> told = new HashMap<>();
        list.at("/triggers/0")
                .properties()
                .forEach(field -> told.put(field.getKey(), field.getValue().asText()));
        assertThat(told)
                .containsEntry("name", "mails")
                .containsEntry("source", orders.name())
                .containsEntry("type", "mail")
                .containsEntry("enabled", "true")
                .containsEntry("problem", "403 you may not")
                .containsEntry("lag", database.serverName().contains("PouchDB") ? "null" : "1") // it does not tell
                .containsEntry("perMinute", "0")
                .containsEntry("jobs", "3")
                .containsEntry("errors", "1")
                .containsEntry("follower", "null");
        assertThat(list.at("/triggers/0/behind").asLong()).isGreaterThan(60_000);
        assertThat(list.at("/malformed/broken").asText()).contains("field typ is not known");
        assertThat(browser.json("problems").path("problems").findValuesAsText("finding"))
                .anyMatch(finding -> finding.contains("field typ is not known"))
                .contains(orders.name() + ": 403 you may not");
    }

    @Test
    void a_trigger_is_told_with_its_databases_the_worst_first_and_the_changes_that_failed() throws Exception {
        queue.triggers().put(mails().source(orders.name() + "*").build());
        failed();
        String missing = orders.name() + "-missing";
        ObjectNode other = queue.database()
                .get("follow:mails:" + orders.name())
                .orElseThrow()
                .put("_id", "follow:mails:" + missing)
                .put("database", missing);
        other.remove("_rev");
        other.remove("problem");
        other.remove("errors");
        queue.database().put(other);
        JsonNode trigger = browser.json("trigger?name=mails");
        assertThat(trigger.path("sources").findValuesAsText("database")).containsExactly(orders.name(), missing);
        assertThat(trigger.path("databases").asInt()).isEqualTo(2);
        assertThat(trigger.at("/sources/1/lag").isNull())
                .as("there is no such database")
                .isTrue();
        assertThat(trigger.path("lag").isNull()).isTrue();
        assertThat(trigger.at("/failed/0/id").asText()).isEqualTo("o1");
        assertThat(trigger.at("/failed/0/reason").asText()).isEqualTo("no field /mail");
        assertThat(trigger.at("/document/job/type").asText()).isEqualTo("mail");
        assertThat(browser.get("api/trigger?name=none").statusCode()).isEqualTo(404);
    }

    @Test
    void the_document_of_a_trigger_is_told_with_its_very_numbers(TestDatabase database) throws Exception {
        OpenDashboard.assumeExactNumbers(database);
        queue.triggers()
                .put(mails().selector(Call.JSON.createObjectNode().put("n", 9_007_199_254_740_993L))
                        .build());
        assertThat(browser.json("trigger?name=mails").path("text").asText()).contains("9007199254740993");
    }

    @Test
    void a_trigger_that_writes_back_is_told_with_the_ends_it_took_and_what_is_wrong_with_them() throws Exception {
        assertThat(browser.json("trigger?name=mails").has("ends")).isFalse();
        queue.triggers().put(mails().writeBack("/status").build());
        queue.database()
                .put(Queues.failed(queue, "follow:mails:~ends", "job:mail:1", "3-a", "not written back")
                        .put("changes", 5)
                        .put("problem", "503 away"));
        JsonNode trigger = browser.json("trigger?name=mails");
        assertThat(trigger.at("/ends/changes").asInt()).isEqualTo(5);
        assertThat(trigger.at("/ends/errors").asInt()).isEqualTo(1);
        assertThat(trigger.path("errors").asInt()).isEqualTo(1);
        assertThat(trigger.path("problem").asText()).isEqualTo("503 away");
        assertThat(trigger.path("databases").asInt()).isEqualTo(1);
    }

    @Test
    void triggers_are_paused_resumed_sent_back_and_removed() throws Exception {
        failed();
        assertThat(done("pause", "")).isEqualTo("paused");
        assertThat(browser.json("triggers").at("/triggers/0/enabled").asBoolean())
                .isFalse();
        assertThat(done("resume", "")).isEqualTo("resumed");
        assertThat(queue.triggers().get("mails").orElseThrow().isEnabled()).isTrue();
        assertThat(done("retry", "")).isEqualTo("1 change is tried again");
        assertThat(queue.triggers().errors("mails")).isEmpty();
        assertThat(done("replay", "beginning")).isEqualTo("goes on from beginning");
        assertThat(queue.triggers().status("mails").sources().get(0).position()).isEqualTo("0");
        assertThat(done("remove", "")).isEqualTo("removed");
        assertThat(browser.json("triggers").path("triggers")).isEmpty();
    }

    @Test
    void an_action_that_cannot_be_done_is_refused() throws Exception {
        assertThat(post("replay", "mails", "")).isEqualTo(400);
        assertThat(post("dance", "mails", "")).isEqualTo(400);
        for (String action : new String[] {"pause", "resume", "retry", "replay", "remove"}) {
            assertThat(post(action, "none", "now")).as(action).isEqualTo(404);
        }
        assertThat(queue.triggers().list()).hasSize(1);
    }
}
