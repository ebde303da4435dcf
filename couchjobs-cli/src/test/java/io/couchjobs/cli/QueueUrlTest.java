package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.couch.config.Auth;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QueueUrlTest {
    @Test
    void a_url_without_a_database_means_the_usual_one() {
        assertThat(QueueUrl.parse(List.of("http://host:5984")).database()).hasToString("http://host:5984/couchjobs");
        assertThat(QueueUrl.parse(List.of("http://host:5984/")).database()).hasToString("http://host:5984/couchjobs");
        assertThat(QueueUrl.parse(List.of("https://host/jobs/")).database()).hasToString("https://host/jobs");
    }

    @Test
    void a_server_may_stand_below_a_path() {
        QueueUrl url = QueueUrl.parse(List.of("http://host/couch/jobs"));

        assertThat(url.servers().get(0)).hasToString("http://host/couch/");
        assertThat(url.name()).isEqualTo("jobs");
        assertThat(url.sibling("other").database()).hasToString("http://host/couch/other");
    }

    @Test
    void credentials_are_taken_out_of_the_url() {
        QueueUrl url = QueueUrl.parse(List.of("http://me:s%40c+ret@host/jobs"));

        assertThat(url.database()).hasToString("http://host/jobs");
        assertThat(url.credentials()).isInstanceOfSatisfying(Auth.Basic.class, basic -> {
            assertThat(basic.user()).isEqualTo("me");
            assertThat(basic.password().reveal()).isEqualTo("s@c+ret");
        });
        assertThat(url.toString()).doesNotContain("s@c", "s%40c");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "jobs", "ftp://host/jobs", "http://", "http://ho st/", "embedded:", "file:///x"})
    void a_text_that_is_not_the_url_of_a_queue_is_a_usage_error(String text) {
        assertThatThrownBy(() -> QueueUrl.parse(List.of(text)))
                .isInstanceOfSatisfying(CommandException.class, problem -> assertThat(problem.exitCode())
                        .isEqualTo(ExitCode.USAGE));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ftp://me:secret@host/",
                "http:/me:secret@host/",
                "http//me:secret@host/",
                "me:secret@host",
                "http://me:s/secret@host/",
                "http://me:1/secret@host/",
                "http://me/secret@host/",
                "http://me:s@secret@host/",
                "http://me:s secret@host/",
                "http://me:s%zsecret@host/",
                "http://me:#secret@host/",
                "http://me:?secret@host/",
                "http://me:s\nsecret@host/"
            })
    void no_message_repeats_a_password(String text) {
        assertThatThrownBy(() -> QueueUrl.parse(List.of(text)))
                .isInstanceOf(CommandException.class)
                .hasMessageNotContaining("secret");
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://host/_users", "https://host/couch/_replicator/", "http://host/%5Fusers"})
    void a_database_of_the_servers_own_holds_no_queue(String text) {
        assertThatThrownBy(() -> QueueUrl.parse(List.of(text)))
                .isInstanceOfSatisfying(CommandException.class, problem -> assertThat(problem.exitCode())
                        .isEqualTo(ExitCode.USAGE))
                .hasMessageContaining("is a database of CouchDB's own");
    }

    @Test
    void a_server_may_stand_below_two_slashes() {
        QueueUrl url = QueueUrl.parse(List.of("http://host//jobs"));

        assertThat(url.servers().get(0)).hasToString("http://host//");
        assertThat(url.sibling("other").database()).hasToString("http://host//other");
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:15984/shop", "notaurl", "localhost:5984/shop", "http//host/shop"})
    void a_url_without_its_beginning_is_answered_with_what_to_give(String text) {
        assertThatThrownBy(() -> QueueUrl.parse(List.of(text)))
                .hasMessageContaining("give http://HOST:PORT/DATABASE")
                .hasMessageNotContaining("scheme");
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://host/shop?x=1", "http://host/shop#x", "http://host?", "https://host/shop?"})
    void a_query_is_refused_and_not_dropped(String text) {
        assertThatThrownBy(() -> QueueUrl.parse(List.of(text)))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("without ? and #");
    }
}
