package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.embedded.EmbeddedCouch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class TriggerCommandsTest {
    private EmbeddedCouch couch;
    private CouchServer server;
    private CouchDatabase orders;
    private TestShell shell;

    @BeforeEach
    void open() throws Exception {
        couch = EmbeddedCouch.inMemory().start();
        server = CouchServer.connect(CouchConfig.builder(couch.url()).build());
        orders = server.database("orders");
        boolean unused = orders.createIfMissing();
        shell = new TestShell()
                .with("COUCHJOBS_URL", couch.url().resolve("jobs").toString());
        done("init");
    }

    @AfterEach
    void close() {
        server.close();
        couch.close();
    }

    private TestShell.Said done(String... arguments) {
        TestShell.Said said = shell.run(arguments);
        assertThat(said.exitCode()).as(said.err()).isZero();
        return said;
    }

    private void save(String json) throws Exception {
        orders.put((ObjectNode) new JsonMapper().readTree(json.replace('\'', '"')));
    }

    @Test
    void a_trigger_is_added_tried_listed_followed_and_removed() throws Exception {
        assertThat(done(
                                "trigger",
                                "add",
                                "mail",
                                "--source",
                                "orders",
                                "--type",
                                "email",
                                "--data",
                                "{\"to\":\"{/mail}\"}")
                        .out())
                .contains("mail", "orders", "email", "enabled");
        save("{'_id':'o1','mail':'ada@example.org'}");
        save("{'_id':'o2'}");
        JsonNode tried =
                done("trigger", "test", "mail", "--doc", "o1", "-o", "json").json();
        assertThat(tried.path("type").asText()).isEqualTo("email");
        assertThat(tried.at("/data/to").asText()).isEqualTo("ada@example.org");
        assertThat(shell.run("trigger", "test", "mail", "--doc", "o2")).satisfies(said -> {
            assertThat(said.exitCode()).isEqualTo(1);
            assertThat(said.err()).contains("o2 has no /mail");
        });
        assertThat(shell.run("trigger", "test", "mail", "--doc", "o2", "-q").err())
                .contains("o2 has no /mail");
        done("work", "email", "--max-jobs", "1", "--", "true");

        JsonNode listed = done("trigger", "list", "-o", "json").json().get(0);
        assertThat(listed.path("name").asText()).isEqualTo("mail");
        assertThat(listed.path("source").asText()).isEqualTo("orders");
        assertThat(listed.path("enabled").asBoolean()).isTrue();
        assertThat(listed.has("follower")).isTrue();
        assertThat(listed.has("behindMs")).isTrue();
        assertThat(listed.path("changesPerMinute").isNumber()).isTrue();
        assertThat(listed.path("jobs").asLong()).isLessThanOrEqualTo(1);
        assertThat(listed.path("position").isTextual()).isTrue();
        assertThat(done("trigger", "inspect", "mail", "-o", "json")
                        .json()
                        .at("/sources/0/database")
                        .asText())
                .isEqualTo("orders");

        done("trigger", "pause", "mail");
        assertThat(done("trigger", "list").out()).contains("paused");
        done("trigger", "resume", "mail");
        done("trigger", "replay", "mail", "--from", "beginning");
        assertThat(done("trigger", "errors", "mail", "--retry", "-o", "json")
                        .json()
                        .has("retried"))
                .isTrue();
        done("trigger", "remove", "mail");
        assertThat(done("trigger", "list", "-o", "json").json()).isEmpty();
    }

    @Test
    void the_jobs_that_an_outbox_would_make_are_one_JSON_value_whether_they_are_many_one_or_none() throws Exception {
        done("trigger", "add", "out", "--source", "orders", "--outbox", "leave");
        save("{'_id':'two','couchjobs':[{'type':'email','id':'1','data':{}},{'type':'email','id':'2','data':{}}]}");
        save("{'_id':'one','couchjobs':[{'type':'email','id':'1','data':{}}]}");
        save("{'_id':'none'}");

        assertThat(tried("two").findValuesAsText("id")).containsExactly("1", "2");
        assertThat(tried("one").findValuesAsText("id")).containsExactly("1");
        assertThat(tried("none")).isEmpty();
    }

    private JsonNode tried(String document) {
        JsonNode jobs =
                done("trigger", "test", "out", "--doc", document, "-o", "json").json();
        assertThat(jobs.isArray()).isTrue();
        return jobs;
    }

    @Test
    void wrong_options_are_named_with_their_values() {
        assertWrong("either --type or --outbox", "trigger", "add", "x", "--source", "orders");
        assertWrong("bad{", "trigger", "add", "x", "--source", "orders", "--type", "t", "--id", "bad{");
        assertWrong("--data is not JSON", "trigger", "add", "x", "--source", "orders", "--type", "t", "--data", "{");
        for (String option : new String[] {"--data", "--selector"}) {
            assertWrongFor(option + " is not JSON", option, "{} {}");
        }
        assertWrong("Orders", "trigger", "add", "x", "--source", "Orders", "--type", "t");
        assertWrong("x y", "trigger", "add", "x y", "--source", "orders", "--type", "t");
        assertWrongFor("$foo", "--selector", "{\"a\":{\"$foo\":1}}");
        assertWrong("sometimes", "trigger", "add", "x", "--source", "orders", "--type", "t", "--deliver", "sometimes");
        assertThat(done("trigger", "list", "-o", "json").json()).isEmpty();
    }

    @Test
    void an_option_that_is_about_another_needs_that_one() {
        assertWrongFor("--zone needs --cron", "--zone", "Europe/Berlin");
        assertWrongFor("--batch-wait needs --batch", "--batch-wait", "5s");
        assertThat(done("trigger", "list", "-o", "json").json()).isEmpty();
    }

    /** An option of a trigger that is right but for it. */
    private void assertWrongFor(String named, String option, String value) {
        assertWrong(named, "trigger", "add", "x", "--source", "orders", "--type", "t", option, value);
    }

    private void assertWrong(String named, String... arguments) {
        TestShell.Said said = shell.run(arguments);
        assertThat(said.err()).contains(named);
        assertThat(said.exitCode()).isEqualTo(2);
    }

    @Test
    void the_lag_of_a_source_that_is_gone_is_not_known() {
        done("trigger", "add", "tr", "--source", "orders", "--type", "email");
        assertThat(done("trigger", "list", "-o", "json").json().at("/0/lag").asLong(-1))
                .isZero();
        orders.delete();

        JsonNode listed = done("trigger", "list", "-o", "json").json().get(0);
        assertThat(listed.path("lag").isNull()).as(listed.toString()).isTrue();
        assertThat(done("trigger", "list", "-o", "csv").out().lines().skip(1)).allMatch(line -> line.contains(",?,?,"));
    }

    @Test
    void a_source_that_is_gone_is_named_as_missing_and_not_the_queue() {
        done("trigger", "add", "tr", "--source", "orders", "--type", "email");
        TestShell.Said missing = shell.run("trigger", "test", "tr", "--doc", "d1");
        assertThat(missing.exitCode()).isEqualTo(3);
        assertThat(missing.err()).contains("there is no document d1 in orders");
        orders.delete();

        TestShell.Said tried = shell.run("trigger", "test", "tr", "--doc", "d1");
        assertThat(tried.exitCode()).isEqualTo(3);
        assertThat(tried.err()).contains("there is no database orders").doesNotContain("init", "database jobs");
    }

    @Test
    void a_trigger_that_is_not_there_is_not_found() {
        for (String verb : new String[] {"inspect", "pause", "resume", "remove", "errors"}) {
            TestShell.Said said = shell.run("trigger", verb, "nosuch");
            assertThat(said.exitCode()).as(verb).isEqualTo(3);
            assertThat(said.err()).contains("nosuch");
        }
    }

    @Test
    void a_source_whose_server_is_away_is_told_by_its_connection_and_not_as_the_queues_server() {
        TestShell.Said said = shell.with("COUCHJOBS_CONNECTION_SHOP", "http://127.0.0.1:1")
                .run("trigger", "add", "far", "--source", "orders", "--type", "email", "--connection", "shop");

        assertThat(said.exitCode()).isEqualTo(6);
        assertThat(said.err())
                .startsWith("couchjobs: trigger far cannot follow orders (connection shop): ")
                .doesNotContain("cannot reach CouchDB at", couch.url().getAuthority());
    }

    @Test
    void a_source_behind_a_connection_is_followed_by_a_worker_that_knows_it() throws Exception {
        done(
                "trigger",
                "add",
                "far",
                "--source",
                "orders",
                "--type",
                "email",
                "--connection",
                "shop",
                "--from",
                "beginning");
        save("{'_id':'o1'}");
        TestShell knowing = shell.with("COUCHJOBS_CONNECTION_SHOP", couch.url().toString());
        TestShell.Said worked = knowing.run("work", "email", "--max-jobs", "1", "--", "true");
        assertThat(worked.exitCode()).as(worked.err()).isZero();
        TestShell wrong = shell.with("COUCHJOBS_CONNECTION_SHOP", "no url of pass:word");
        assertThat(wrong.run("counts").err())
                .contains("COUCHJOBS_CONNECTION_SHOP")
                .doesNotContain("word");
    }

    @Test
    void a_source_that_is_not_there_is_not_found_and_no_request_is_shown() {
        TestShell.Said said = shell.run("trigger", "add", "typo", "--source", "nosuch", "--type", "email");
        assertThat(said.exitCode()).isEqualTo(3);
        assertThat(said.err()).isEqualTo("couchjobs: trigger typo cannot follow nosuch: there is no database nosuch\n");
    }

    @Test
    void inspect_shows_what_a_trigger_does() {
        shell.done(
                "trigger",
                "add",
                "mail",
                "--source",
                "orders",
                "--type",
                "email",
                "--selector",
                "{\"status\":\"paid\"}",
                "--id",
                "mail-{_id}");
        assertThat(shell.done("trigger", "inspect", "mail").out())
                .containsPattern("source +orders")
                .contains("\"type\":\"email\"")
                .containsPattern("selector +\\{\"status\":\"paid\"}")
                .containsPattern("mail-\\{_id}")
                .contains("DATABASE");
    }
}
