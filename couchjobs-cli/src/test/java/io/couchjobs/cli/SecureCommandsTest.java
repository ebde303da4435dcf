package io.couchjobs.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.EmbeddedCouch;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who may do what, from the command line: on a server of its own, for it makes users. */
@Timeout(120)
class SecureCommandsTest {
    private EmbeddedCouch couch;

    @BeforeEach
    void start() {
        couch = EmbeddedCouch.inMemory().admin("root", "secret").start();
    }

    @AfterEach
    void stop() {
        couch.close();
    }

    @Test
    void init_secures_a_database_and_says_what_it_granted_and_the_second_time_that_it_was_done() {
        TestShell root = as("root", "secret");
        TestShell.Said first = done(root, "init", "--secure");
        assertThat(first.out())
                .contains(
                        "; the guard was stored; role",
                        "role couchjobs-worker may now read",
                        "role couchjobs-admin may now admin");
        JsonNode second = done(root, "init", "--secure", "-o", "json").json();
        assertThat(second.at("/secured/guardStored").asBoolean(true)).isFalse();
        assertThat(second.at("/secured/membersAdded")).isEmpty();
        assertThat(done(root, "doctor").out()).contains("the database refuses what a user's role does not cover");
    }

    @Test
    void a_dry_run_changes_nothing() {
        TestShell root = as("root", "secret");
        assertThat(done(root, "init", "--secure", "--create-user", "worker:ann", "--dry-run")
                        .out())
                .contains("nothing was changed", "the guard would be stored", "user ann would be created");
        TestShell.Said site = done(root, "init", "--site", "munich", "--secure", "--dry-run");
        assertThat(site.out()).contains("nothing was changed; it would become site munich;");
        assertThat(root.run("counts").exitCode()).isEqualTo(3);
        assertThat(root.run("init", "--dry-run").exitCode()).isEqualTo(2);
    }

    @Test
    void users_are_created_with_a_password_that_is_no_argument(@TempDir Path folder) throws Exception {
        TestShell root = as("root", "secret");
        Path file = Files.writeString(folder.resolve("password"), "from a file\n");
        done(root, "init", "--secure", "--create-user", "producer:pat", "--new-password-file", file.toString());
        done(root.with("COUCHJOBS_NEW_PASSWORD", "from env"), "init", "--create-user", "worker:ann");
        assertThat(done(root, "init", "--create-user", "worker:ann").out()).contains("user ann has the role");
        assertThat(done(root, "init", "--create-user", "producer:ann").out()).contains("user ann got the role");

        TestShell pat = as("pat", "from a file");
        done(pat, "enqueue", "email", "1");
        TestShell.Said refused = pat.run("pause", "email");
        assertThat(refused.exitCode()).isEqualTo(7);
        assertThat(refused.err()).contains("may not change the settings of types", "couchjobs-admin");
        assertThat(as("ann", "from env")
                        .run("work", "email", "--until-empty", "--", "true")
                        .exitCode())
                .isZero();
        assertThat(pat.run("work", "email", "--until-empty", "--", "true").exitCode())
                .isEqualTo(7);
    }

    @Test
    void a_mistyped_or_missing_argument_is_reported() {
        TestShell root = as("root", "secret");
        assertThat(root.run("init", "--create-user", "boss:ann").err()).contains("not a role: 'boss'");
        assertThat(root.run("init", "--create-user", "ann").err()).contains("takes ROLE:NAME");
        root.usage(
                "--create-user names ann twice",
                "init",
                "--create-user",
                "producer:ann",
                "--create-user",
                "worker:ann");
        root.usage("--new-password-file needs --create-user", "init", "--new-password-file", "password");
        assertThat(root.run("init", "--create-user", "worker:ann").err()).contains("no password for the new user ann");
        root.with("COUCHJOBS_NEW_PASSWORD", "one for two");
        assertThat(root.run("init", "--create-user", "worker:ann", "--create-user", "worker:bob")
                        .err())
                .contains("one password for several users");
        assertThat(as("ann", "x").run("init", "--secure").exitCode()).isEqualTo(7);
    }

    @Test
    void a_request_that_the_server_does_not_allow_is_reported_with_a_remedy() {
        TestShell root = as("root", "secret");
        done(root.with("COUCHJOBS_NEW_PASSWORD", "x"), "init", "--secure", "--create-user", "producer:ann");
        String elsewhere = couch.url().resolve("/elsewhere").toString();

        assertThat(as("ann", "wrong").run("counts").err()).contains("does not accept the name or the password");
        assertThat(new TestShell()
                        .run("counts", "--url", couch.url().resolve("/jobs").toString())
                        .err())
                .contains("give --user NAME, and the password by COUCHJOBS_PASSWORD");
        assertThat(as("ann", "x").run("init", "--url", elsewhere).err())
                .contains("may not create the database elsewhere", "couchjobs init --user ADMIN");
        assertThat(root.run("counts", "--url", elsewhere).err())
                .contains("there is no database elsewhere", "run \"couchjobs init\"");
    }

    @Test
    void init_says_that_a_login_is_wrong_or_missing_although_an_answer_to_head_has_no_reason() {
        TestShell.Said wrong = as("root", "wrong").run("init");
        assertThat(wrong.exitCode()).isEqualTo(7);
        assertThat(wrong.err())
                .contains("does not accept the name or the password")
                .hasLineCount(1);
        TestShell.Said nobody = new TestShell()
                .run("init", "--url", couch.url().resolve("/jobs").toString());
        assertThat(nobody.exitCode()).isEqualTo(7);
        assertThat(nobody.err()).contains("couchjobs init --user ADMIN").hasLineCount(1);
    }

    @Test
    void a_user_who_may_not_store_the_design_documents_hears_who_can() throws Exception {
        done(as("root", "secret").with("COUCHJOBS_NEW_PASSWORD", "x"), "init", "--create-user", "producer:ann");
        put("bare", "");
        put("bare/_security", "{\"members\":{\"roles\":[\"couchjobs-producer\"]}}");
        String bare = couch.url().resolve("/bare").toString();

        for (String command : new String[] {"counts", "list", "init", "work email --until-empty -- true"}) {
            TestShell.Said said = as("ann", "x").with("COUCHJOBS_URL", bare).run(command.split(" "));

            assertThat(said.exitCode()).isEqualTo(7);
            assertThat(said.err())
                    .as(command)
                    .startsWith("couchjobs: the database bare at ")
                    .contains("lacks design documents", "couchjobs init --user ADMIN")
                    .hasLineCount(1);
        }
    }

    @Test
    void a_user_who_may_not_mend_the_design_documents_hears_who_can_and_the_other_checks_are_made() throws Exception {
        done(as("root", "secret").with("COUCHJOBS_NEW_PASSWORD", "x"), "init", "--create-user", "producer:ann");
        put("bare", "");
        put("bare/_security", "{\"members\":{\"roles\":[\"couchjobs-producer\"]}}");
        String bare = couch.url().resolve("/bare").toString();

        TestShell.Said said = as("ann", "x").with("COUCHJOBS_URL", bare).run("doctor", "--fix");

        assertThat(said.exitCode()).isEqualTo(1);
        assertThat(said.err())
                .contains("couchjobs: could not mend design: the database bare at ")
                .contains("lacks design documents", "couchjobs init --user ADMIN");
        assertThat(said.out()).contains("tombstones");
    }

    private void put(String path, String body) throws Exception {
        String root = Base64.getEncoder().encodeToString("root:secret".getBytes(UTF_8));
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(couch.url().resolve("/" + path))
                                .header("Authorization", "Basic " + root)
                                .PUT(HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 201);
    }

    private TestShell as(String user, String password) {
        return new TestShell()
                .with("COUCHJOBS_URL", couch.url().resolve("/jobs").toString())
                .with("COUCHJOBS_USER", user)
                .with("COUCHJOBS_PASSWORD", password);
    }

    private static TestShell.Said done(TestShell shell, String... command) {
        TestShell.Said said = shell.run(command);
        assertThat(said.exitCode()).as(said.err()).isZero();
        return said;
    }
}
