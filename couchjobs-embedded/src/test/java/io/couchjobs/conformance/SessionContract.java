package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.json;
import static io.couchjobs.conformance.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Who may speak: basic authentication and cookie sessions. */
abstract class SessionContract {

    @Test
    void basic_credentials_say_who_asks(Couch couch) {
        JsonNode who = couch.get("/_session").expect(200).at("/userCtx");

        assertThat(who.path("name").asText()).isEqualTo(couch.user());
        assertThat(who.path("roles").toString()).contains("_admin");
    }

    @Test
    void nobody_is_a_session_without_a_name(Couch couch) {
        Reply reply = couch.anonymous().get("/_session").expect(200);

        assertThat(reply.at("/userCtx/name").isNull()).isTrue();
        assertThat(reply.at("/userCtx/roles")).isEmpty();
    }

    @Test
    void a_user_is_let_in_by_the_right_password_only(Couch couch) {
        withUser(couch, user -> {
            Couch other = couch.as(user.user(), "wrong");

            assertThat(user.get("/_session").text("/userCtx/name")).isEqualTo(user.user());
            assertThat(other.get("/_session").error()).isEqualTo("401 unauthorized: Name or password is incorrect.");
            assertThat(login(other).error()).isEqualTo("401 unauthorized: Name or password is incorrect.");
        });
    }

    @Test
    void an_unknown_user_is_refused_in_the_same_words(Couch couch, Db db) {
        Reply reply = couch.as(unique(), "x").get(db.path());

        assertThat(reply.error()).isEqualTo("401 unauthorized: Name or password is incorrect.");
    }

    @Test
    void a_database_is_closed_to_who_gives_no_credentials(Couch couch, Db db) {
        assertThat(couch.anonymous().get(db.path()).error())
                .isEqualTo("401 unauthorized: You are not authorized to access this db.");
    }

    @Test
    void a_database_opens_to_everybody_when_its_security_names_nobody(Couch couch, Db db) {
        db.put("/_security", "{admins: {names: [], roles: []}, members: {names: [], roles: []}}")
                .expect(200);

        assertThat(couch.anonymous().get(db.path()).status()).isEqualTo(200);
    }

    @Test
    void a_login_answers_with_the_user_and_a_cookie(Couch couch) {
        Reply reply = login(couch);

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.at("/ok").asBoolean()).isTrue();
        assertThat(reply.text("/name")).isEqualTo(couch.user());
        assertThat(reply.header("Set-Cookie")).startsWith("AuthSession=").containsIgnoringCase("HttpOnly");
    }

    @Test
    void a_login_may_come_from_a_form(Couch couch) {
        String form = "name=" + Couch.escape(couch.user()) + "&password=" + Couch.escape(couch.password());

        Reply reply = couch.anonymous()
                .sendRaw("POST", "/_session", utf8(form), "Content-Type", "application/x-www-form-urlencoded");

        assertThat(reply.status()).isEqualTo(200);
    }

    @Test
    void a_cookie_opens_what_its_user_may_open(Couch couch, Db db) {
        String cookie = cookie(login(couch));

        assertThat(couch.anonymous().get(db.path(), "Cookie", cookie).status()).isEqualTo(200);
        assertThat(couch.anonymous().get("/_session", "Cookie", cookie).text("/userCtx/name"))
                .isEqualTo(couch.user());
    }

    @Test
    void a_login_of_an_unknown_user_is_refused(Couch couch) {
        assertThat(login(couch.as(unique(), "x")).error())
                .isEqualTo("401 unauthorized: Name or password is incorrect.");
    }

    @Test
    void a_cookie_that_nobody_issued_is_refused(Couch couch, Db db) {
        Reply reply = couch.anonymous().get(db.path(), "Cookie", "AuthSession=bm9ib2R5OjEyMzQ6YWJj");

        assertThat(reply.status()).isEqualTo(401);
    }

    @Test
    void a_logout_takes_the_cookie_back(Couch couch) {
        Reply reply = couch.anonymous().delete("/_session");

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.header("Set-Cookie")).startsWith("AuthSession=;");
    }

    @Test
    void a_user_without_rights_is_forbidden_what_nobody_may_log_in_for(Couch couch, Db db) {
        withUser(couch, user -> assertThat(user.get(db.path()).error())
                .isEqualTo("403 forbidden: You are not allowed to access this db."));
    }

    @Test
    void a_member_may_write_documents_and_no_design_documents(Couch couch, Db db) {
        withUser(couch, user -> {
            db.put("/_security", object("{}").set("members", people(user))).expect(200);
            Db own = new Db(user, db.name());

            Reply batch = own.post("/_bulk_docs", "{docs: [{_id: 'a'}, {_id: '_design/x'}, {_id: 'b'}]}")
                    .expect(201);

            assertThat(own.put("/_design/x", "{}").error())
                    .isEqualTo("403 forbidden: You are not a db or server admin.");
            assertThat(batch.at("/0/ok").asBoolean()).isTrue();
            assertThat(batch.at("/1"))
                    .isEqualTo(
                            json("{id: '_design/x', error: 'forbidden', reason: 'You are not a db or server admin.'}"));
            assertThat(batch.at("/2/ok").asBoolean()).isTrue();
        });
    }

    @Test
    void a_member_is_refused_only_the_design_documents_of_a_replicated_batch(Couch couch, Db db) {
        withUser(couch, user -> {
            db.put("/_security", object("{}").set("members", people(user))).expect(200);

            Reply batch = new Db(user, db.name())
                    .post(
                            "/_bulk_docs",
                            "{new_edits: false, docs: [{_id: 'a', _rev: '1-a'}, {_id: '_design/x', _rev: '1-a'}]}");

            assertThat(batch.expect(201).rows()).hasSize(1);
            assertThat(batch.text("/0/id")).isEqualTo("_design/x");
            assertThat(batch.text("/0/error")).isEqualTo("forbidden");
            assertThat(db.read("a").status()).isEqualTo(200);
        });
    }

    @Test
    void upkeep_is_for_administrators_of_the_database(Couch couch, Db db) {
        withUser(couch, user -> {
            Db own = new Db(user, db.name());
            db.put("/_security", object("{}").set("members", people(user))).expect(200);
            for (String upkeep : List.of("/_compact", "/_view_cleanup")) {
                assertThat(own.post(upkeep, "{}").error())
                        .isEqualTo("401 unauthorized: You are not a server or db admin.");
            }

            db.put("/_security", object("{}").set("admins", people(user))).expect(200);
            assertThat(own.post("/_compact", "{}").status()).isEqualTo(202);
            assertThat(own.put("/_design/x", "{}").status()).isEqualTo(201);
        });
    }

    @Test
    void purging_is_for_administrators_of_the_server(Couch couch, Db db) {
        withUser(couch, user -> {
            db.put("/_security", object("{}").set("admins", people(user))).expect(200);
            Db own = new Db(user, db.name());

            String refused = "401 unauthorized: You are not a server admin.";
            assertThat(own.post("/_purge", "{a: ['1-a']}").error()).isEqualTo(refused);
            assertThat(own.get("/_purged_infos_limit").error()).isEqualTo(refused);
            assertThat(own.put("/_purged_infos_limit", "100").error()).isEqualTo(refused);
            assertThat(db.put("/_purged_infos_limit", "100").status()).isEqualTo(200);
            assertThat(db.put("/_purged_infos_limit", "0").error())
                    .isEqualTo("400 bad_request: `purged_infos_limit` must be positive integer");
        });
    }

    private static ObjectNode people(Couch user) {
        ObjectNode people = object();
        people.putArray("names").add(user.user());
        return people;
    }

    private static void withUser(Couch couch, Consumer<Couch> test) {
        String name = unique();
        String path = "/_users/org.couchdb.user:" + name;
        String rev = newUser(couch, path, name, "right");
        try {
            test.accept(couch.as(name, "right"));
        } finally {
            couch.delete(path + "?rev=" + rev);
        }
    }

    /** A user of its own: CouchDB locks an account for minutes after a few wrong passwords. */
    private static String newUser(Couch couch, String path, String name, String password) {
        couch.put("/_users").expect(201, 202, 412);
        return couch.put(
                        path,
                        object("{type: 'user', roles: []}").put("name", name).put("password", password))
                .expect(201, 202)
                .rev();
    }

    private static String unique() {
        return "conformance-" + UUID.randomUUID();
    }

    private static Reply login(Couch couch) {
        return couch.anonymous()
                .post("/_session", object().put("name", couch.user()).put("password", couch.password()));
    }

    private static String cookie(Reply login) {
        return login.expect(200).header("Set-Cookie").split(";", 2)[0];
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
