package io.couchjobs.couch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.engine.couch.UrlPath;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CouchConfigTest {

    @ParameterizedTest
    @CsvSource({
        "http://localhost:5984, http://localhost:5984",
        "http://localhost:5984/, http://localhost:5984",
        "HTTPS://couch.example.org/db/prefix//, https://couch.example.org/db/prefix",
        "http://u:p@[::1]:5984/, http://[::1]:5984",
    })
    void the_url_is_kept_without_credentials_and_without_a_slash_at_the_end(String given, String kept) {
        assertThat(CouchConfig.builder(URI.create(given)).build().url()).hasToString(kept);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ftp://host",
                "localhost:5984",
                "/path",
                "http:///nohost",
                "http://host?x=1",
                "http://host#x",
                "http://me:hunter2@host_with:bad:port/",
                "http://me:1/hunter2@host/",
                "http://host:70000"
            })
    void an_address_that_is_none_is_refused_without_repeating_it(String given) {
        assertThatThrownBy(() -> CouchConfig.builder(URI.create(given)).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the server's URL")
                .hasMessageNotContaining("hunter2");
    }

    @Test
    void all_problems_are_reported_at_once() {
        assertThatThrownBy(() -> CouchConfig.builder(URI.create("ftp://host?x"))
                        .maxConnections(0)
                        .maxFeedConnections(0)
                        .connectTimeout(Duration.ZERO)
                        .responseTimeout(Duration.ofSeconds(-1))
                        .caCertificate(Path.of("not-there.pem"))
                        .insecure(true)
                        .userAgent("a\nb")
                        .gzipAbove(-1)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .message()
                .satisfies(message -> assertThat(message.split("; ", -1)).hasSize(10));
    }

    @Test
    void credentials_given_twice_are_refused() {
        assertThatThrownBy(() -> CouchConfig.builder(URI.create("http://a:b@host"))
                        .auth(new Auth.None())
                        .build())
                .hasMessageContaining("twice");
    }

    @Test
    void a_name_with_a_colon_cannot_be_sent_as_basic_credentials() {
        assertThatThrownBy(() -> CouchConfig.builder(URI.create("http://host"))
                        .auth(new Auth.Basic("a:b", Secret.of("c")))
                        .build())
                .hasMessageContaining("colon");
    }

    @Test
    void the_defaults_are_the_documented_ones() {
        CouchConfig config =
                CouchConfig.builder(URI.create("http://couch.example.org")).build();

        assertThat(config.auth()).isEqualTo(new Auth.None());
        assertThat(config.connectTimeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(config.responseTimeout()).isEqualTo(Duration.ofSeconds(60));
        assertThat(config.maxConnections()).isEqualTo(16);
        assertThat(config.maxFeedConnections()).isEqualTo(4);
        assertThat(config.caCertificate()).isEmpty();
        assertThat(config.insecure()).isFalse();
        assertThat(config.gzipAbove()).isEqualTo(16 * 1024);
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://localhost:5984", "http://127.0.0.1", "https://[::1]:6984"})
    void nothing_is_compressed_on_the_way_to_this_machine(String url) {
        assertThat(CouchConfig.builder(URI.create(url)).build().gzipAbove()).isEqualTo(Integer.MAX_VALUE);
        assertThat(CouchConfig.builder(URI.create(url)).gzipAbove(1).build().gzipAbove())
                .isEqualTo(1);
    }

    @Test
    void a_certificate_file_without_a_certificate_is_refused(@TempDir Path dir) throws Exception {
        CouchConfig config = CouchConfig.builder(URI.create("https://host"))
                .caCertificate(Files.writeString(dir.resolve("empty.pem"), ""))
                .build();

        assertThatThrownBy(() -> CouchServer.connect(config))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("empty.pem");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "jobs", "a/b", "a_b$c(d)+e-f", "_users", "_replicator"})
    void names_that_couchdb_allows_are_allowed(String name) {
        assertThat(DatabaseName.checked(name)).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "A", "jobS", "1a", "_x", "a b", "a?b", "a.b", "ä", "../x", "a\n"})
    void names_that_couchdb_does_not_allow_are_refused_by_name(String name) {
        assertThatThrownBy(() -> DatabaseName.checked(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("\"" + name + "\" is no name for a database");
        assertThatThrownBy(() -> DatabaseName.checked("a".repeat(239))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void half_a_character_is_refused_instead_of_naming_another_document() {
        assertThatThrownBy(() -> UrlPath.ROOT.document("a\ud83d")).isInstanceOf(IllegalArgumentException.class);
    }
}
