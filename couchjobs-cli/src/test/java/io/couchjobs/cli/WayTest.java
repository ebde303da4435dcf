package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.couch.config.ClientCertificate;
import io.couchjobs.couch.config.HttpProxy;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WayTest {
    private static final List<URI> HTTPS = List.of(URI.create("https://couch.example.org/jobs"));
    private static final List<URI> HTTP = List.of(URI.create("http://couch.example.org:5984/jobs"));
    private static final List<URI> HERE = List.of(URI.create("http://127.0.0.1:5984/jobs"));

    @TempDir
    private Path folder;

    private final TestShell shell = new TestShell();
    private final GlobalOptions options = new GlobalOptions();

    @Test
    void a_proxy_comes_from_the_option_then_our_variable_then_the_profile_then_what_all_programs_look_at()
            throws IOException {
        assertThat(way().proxy(HTTPS)).isEmpty();
        shell.with("ALL_PROXY", "all:1");
        assertThat(proxy(HTTPS)).isEqualTo("http://all:1");
        shell.with("https_proxy", "http://https:2").with("http_proxy", "http://http:3");
        assertThat(proxy(HTTPS)).isEqualTo("http://https:2");
        assertThat(proxy(HTTP)).isEqualTo("http://http:3");
        Path file = Files.writeString(folder.resolve("config.toml"), "proxy = \"http://profile:4\"\n");
        shell.with("COUCHJOBS_CONFIG", file.toString());
        assertThat(proxy(HTTPS)).isEqualTo("http://profile:4");
        shell.with("COUCHJOBS_PROXY", "http://ours:5");
        assertThat(proxy(HTTPS)).isEqualTo("http://ours:5");
        options.proxy = "http://option:6";
        assertThat(proxy(HTTPS)).isEqualTo("http://option:6");
        options.proxy = "none";
        assertThat(way().proxy(HTTPS)).isEmpty();
    }

    @Test
    void a_variable_that_a_web_servers_visitor_can_set_is_not_looked_at() {
        shell.with("HTTP_PROXY", "http://evil");
        assertThat(way().proxy(HTTP)).isEmpty();
    }

    @Test
    void servers_on_this_machine_and_those_of_no_proxy_are_reached_without_one() {
        shell.with("http_proxy", "socks5://for-others-only").with("NO_PROXY", ".example.org, other");
        assertThat(way().proxy(HERE)).isEmpty();
        assertThat(way().proxy(HTTP)).isEmpty();
        assertThatThrownBy(() -> way().proxy(List.of(URI.create("http://elsewhere/jobs"))))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("http://")
                .hasMessageContaining("http_proxy");

        options.proxy = "http://option";
        assertThat(way().proxy(HERE).orElseThrow().isFor("127.0.0.1", 5984)).isTrue();
        assertThat(way().proxy(HTTP).orElseThrow().isFor("couch.example.org", 5984))
                .isFalse();
    }

    @Test
    void a_password_of_a_key_comes_from_the_option_then_the_environment_then_the_profile_then_a_prompt()
            throws IOException {
        assertThat(way().clientCertificate()).isEmpty();
        options.clientCert = folder.resolve("cert.pem");
        options.clientKey = Files.writeString(folder.resolve("key.pem"), "-----BEGIN PRIVATE KEY-----\n-----END");
        assertThat(way().clientCertificate().orElseThrow().password()).isEmpty();

        Files.writeString(
                folder.resolve("key.pem"),
                "-----BEGIN ENCRYPTED PRIVATE KEY-----\n-----END ENCRYPTED PRIVATE KEY-----");
        assertThatThrownBy(() -> way().clientCertificate())
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("--client-key-password-file");
        shell.answering("typed");
        assertThat(keyPassword()).isEqualTo("typed");
        Path file = Files.writeString(folder.resolve("config.toml"), "client-key-password-file = \"p\"\n");
        Files.writeString(folder.resolve("p"), "profile\n");
        shell.with("COUCHJOBS_CONFIG", file.toString());
        assertThat(keyPassword()).isEqualTo("profile");
        shell.with("COUCHJOBS_CLIENT_KEY_PASSWORD", "environment");
        assertThat(keyPassword()).isEqualTo("environment");
        options.clientKeyPasswordFile = Files.writeString(folder.resolve("q"), "option\n");
        assertThat(keyPassword()).isEqualTo("option");
    }

    private String keyPassword() {
        Optional<ClientCertificate> shown = way().clientCertificate();
        return shown.orElseThrow().password().orElseThrow().reveal();
    }

    private String proxy(List<URI> servers) {
        HttpProxy proxy = way().proxy(servers).orElseThrow();
        return proxy.url().toString();
    }

    private ConnectionOptions way() {
        return Settings.of(options, shell.shell(new StringWriter(), new StringWriter()))
                .way();
    }

    @Test
    void a_proxy_that_cannot_be_reached_is_named_and_couchdb_not_blamed() {
        shell.with("COUCHJOBS_PROXY", "http://me:secret@127.0.0.1:1");
        for (String url : List.of("http://127.0.0.1:2/jobs", "https://127.0.0.1:2/jobs")) {
            TestShell.Said said = shell.run("counts", "--url", url);
            assertThat(said.exitCode()).isEqualTo(6);
            assertThat(said.err())
                    .contains("through the proxy http://127.0.0.1:1:", "--proxy none")
                    .doesNotContain("couchjobs serve", "secret");
        }
        assertThat(shell.with("NO_PROXY", "127.0.0.1")
                        .run("counts", "--url", "http://127.0.0.1:2/jobs")
                        .err())
                .contains("couchjobs serve")
                .doesNotContain("proxy");
    }
}
