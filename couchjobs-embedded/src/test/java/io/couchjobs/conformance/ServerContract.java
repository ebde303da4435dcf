package io.couchjobs.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the server says outside of any database. */
abstract class ServerContract {

    @Test
    void the_root_welcomes_and_names_version_and_vendor(Couch couch) {
        JsonNode welcome = couch.get("/").expect(200).json();

        assertThat(welcome.path("couchdb").asText()).isEqualTo("Welcome");
        assertThat(welcome.path("version").asText()).startsWith("3.5");
        assertThat(welcome.at("/vendor/name").asText()).isNotEmpty();
    }

    @Test
    void a_healthy_server_says_that_it_is_up_without_credentials(Couch couch) {
        assertThat(couch.anonymous().get("/_up").expect(200).text("/status")).isEqualTo("ok");
    }

    @Test
    void every_answer_carries_the_time_of_the_server(Couch couch) {
        String date = couch.get("/").header("Date");

        Instant there =
                ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
        assertThat(Duration.between(there, Instant.now()).abs()).isLessThan(Duration.ofSeconds(60));
    }

    @Test
    void a_refusal_carries_the_time_of_the_server(Couch couch) {
        assertThat(couch.get("/no-such-database").expect(404).header("Date")).isNotEmpty();
    }

    @Test
    void every_answer_names_its_request(Couch couch) {
        assertThat(couch.get("/").header("X-Couch-Request-ID"))
                .isNotEmpty()
                .isNotEqualTo(couch.get("/").header("X-Couch-Request-ID"));
    }

    @Test
    void answers_are_json_for_who_accepts_json(Couch couch, Db db) {
        assertThat(db.get("", "Accept", "application/json").header("Content-Type"))
                .startsWith("application/json");
    }

    @Test
    void uuids_are_as_many_as_asked_for_and_all_different(Couch couch) {
        Set<String> uuids = new HashSet<>();
        couch.get("/_uuids?count=5").expect(200).at("/uuids").forEach(uuid -> uuids.add(uuid.asText()));

        assertThat(uuids).hasSize(5).allMatch(uuid -> uuid.matches("[0-9a-f]{32}"));
    }

    @Test
    void the_list_of_databases_holds_a_new_one(Couch couch, Db db) {
        assertThat(couch.get("/_all_dbs").json()).anyMatch(name -> name.asText().equals(db.name()));
    }

    @Test
    void active_tasks_are_a_list(Couch couch) {
        assertThat(couch.get("/_active_tasks").expect(200).json().isArray()).isTrue();
    }

    @Test
    void a_method_that_the_root_does_not_know_is_refused(Couch couch) {
        Reply reply = couch.send("PUT", "/_up");

        assertThat(reply.error()).isEqualTo("405 method_not_allowed: Only GET,HEAD allowed");
        assertThat(reply.header("Allow")).isEqualTo("GET,HEAD");
    }

    @Test
    void a_head_request_is_answered_without_a_body(Couch couch) {
        Reply reply = couch.send("HEAD", "/");

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.bytes()).isEmpty();
    }
}
