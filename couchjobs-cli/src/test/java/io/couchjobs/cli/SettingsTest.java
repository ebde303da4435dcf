package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.cli.output.Format;
import io.couchjobs.couch.config.Auth;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {
    @TempDir
    private Path folder;

    private final TestShell shell = new TestShell();
    private final GlobalOptions options = new GlobalOptions();

    @BeforeEach
    void configFile() throws IOException {
        Files.writeString(folder.resolve("config.toml"), """
                output = "json"
                user = "top"
                [profiles.staging]
                url = "https://couch.example.org/jobs"
                user = "staging"
                password-file = "staging.password"
                """);
        Files.writeString(folder.resolve("staging.password"), "from the profile's file\n");
        shell.with("COUCHJOBS_CONFIG", folder.resolve("config.toml").toString());
    }

    @Test
    void an_option_wins_over_the_environment_which_wins_over_the_profile_which_wins_over_the_top_of_the_file() {
        options.profile = "staging";
        assertThat(settings().url().database()).hasToString("https://couch.example.org/jobs");
        assertThat(user()).isEqualTo("staging");
        assertThat(settings().output()).isEqualTo(Format.JSON);

        shell.with("COUCHJOBS_URL", "http://from.environment/jobs");
        assertThat(settings().url().database()).hasToString("http://from.environment/jobs");

        options.urls = List.of("http://from.option/jobs");
        assertThat(settings().url().database()).hasToString("http://from.option/jobs");
    }

    @Test
    void a_cluster_has_many_urls() {
        shell.with("COUCHJOBS_URL", "http://one/jobs, http://two:5985/jobs https://three/couch/jobs/ ");
        assertThat(settings().url().databases())
                .extracting(Object::toString)
                .containsExactly("http://one/jobs", "http://two:5985/jobs", "https://three/couch/jobs");
        assertThat(settings().url().sibling("demo").databases())
                .extracting(Object::toString)
                .containsExactly("http://one/demo", "http://two:5985/demo", "https://three/couch/demo");

        options.urls = List.of("http://ada:a,b@four/jobs", "http://five/jobs");
        assertThat(settings().url().databases()).hasSize(2);
        assertThat(((Auth.Basic) settings().auth(settings().url())).password().reveal())
                .isEqualTo("a,b");
    }

    @Test
    void urls_of_different_databases_users_or_kinds_make_no_cluster() {
        options.urls = List.of("http://one/jobs", "http://two/other");
        assertUsage(() -> settings().url(), "http://one/jobs and http://two/other name two");
        options.urls = List.of("http://ada:secret@one/jobs", "http://eve:secret@two/jobs");
        assertUsage(() -> settings().url(), "must name one user");
        options.urls = List.of("embedded:here", "http://two/jobs");
        assertUsage(() -> settings().url(), "a store in a folder is no node");
    }

    @Test
    void a_value_that_cannot_be_a_file_name_is_refused_by_the_name_of_its_setting() throws IOException {
        Files.writeString(folder.resolve("config.toml"), "ca-cert = \"\\u0000\"\n");
        assertUsage(() -> settings().caCertificate(), "config.toml: ca-cert is not the name of a file: '");
    }

    @Test
    void without_anything_the_queue_is_on_this_machine() {
        assertThat(settings().url().database()).hasToString("http://127.0.0.1:5984/couchjobs");
        assertThat(settings().isUrlGiven()).isFalse();
    }

    @Test
    void the_password_comes_from_the_option_then_the_environment_then_the_profile_then_a_prompt() throws IOException {
        shell.answering("typed");
        assertThat(password()).isEqualTo("typed");

        options.profile = "staging";
        assertThat(password()).isEqualTo("from the profile's file");

        shell.with("COUCHJOBS_PASSWORD", "from the environment");
        assertThat(password()).isEqualTo("from the environment");

        options.passwordFile = Files.writeString(folder.resolve("p"), "from the option\nsecond line\n");
        assertThat(password()).isEqualTo("from the option");
    }

    @Test
    void a_url_that_names_only_the_user_takes_the_password_from_elsewhere() {
        shell.with("COUCHJOBS_PASSWORD", "from the environment");
        options.urls = List.of("http://ada@couch.example.org/jobs");
        Auth.Basic auth = (Auth.Basic) settings().auth(settings().url());
        assertThat(auth.user()).isEqualTo("ada");
        assertThat(auth.password().reveal()).isEqualTo("from the environment");
        assertThat(settings().url().hasCredentials()).isFalse();
    }

    @Test
    void the_user_in_the_url_takes_precedence_over_the_environment_and_the_profile() {
        shell.with("COUCHJOBS_USER", "environment").with("COUCHJOBS_PASSWORD", "from the environment");
        options.urls = List.of("http://ada:secret@couch.example.org/jobs");
        assertThat(((Auth.Basic) settings().auth(settings().url())).user()).isEqualTo("ada");
        options.user = "option";
        assertThat(((Auth.Basic) settings().auth(settings().url())).user()).isEqualTo("option");
    }

    @Test
    void a_user_that_is_given_goes_before_the_token_of_the_profile() throws IOException {
        tokenInConfigFile();
        options.user = "option";
        assertThat(user()).isEqualTo("option");

        options.user = null;
        options.urls = List.of("http://ada:secret@couch.example.org/jobs");
        assertThat(user()).isEqualTo("ada");
    }

    @Test
    void the_token_of_the_profile_goes_before_its_user_and_a_token_that_is_given_before_any_user() throws IOException {
        tokenInConfigFile();
        assertThat(token()).isEqualTo("from the profile");

        options.urls = List.of("http://ada:secret@couch.example.org/jobs");
        options.tokenFile = Files.writeString(folder.resolve("given"), "from the option\n");
        assertThat(token()).isEqualTo("from the option");
    }

    @Test
    void a_password_file_without_a_user_is_a_usage_error() {
        shell.with("COUCHJOBS_CONFIG", "none");
        options.passwordFile = folder.resolve("missing");
        assertUsage(() -> settings().auth(settings().url()), "--password-file needs --user");
        shell.with("COUCHJOBS_USER", "environment");
        options.passwordFile = folder.resolve("staging.password");
        assertThat(user()).isEqualTo("environment");
    }

    @Test
    void a_token_and_a_login_on_one_command_line_are_a_usage_error() throws IOException {
        options.tokenFile = Files.writeString(folder.resolve("given"), "from the option\n");
        options.user = "option";
        assertUsage(() -> settings().auth(settings().url()), "--user and --token-file exclude each other");
        options.user = null;
        options.passwordFile = folder.resolve("staging.password");
        assertUsage(() -> settings().auth(settings().url()), "--password-file and --token-file exclude each other");
    }

    @Test
    void a_user_without_a_password_and_nobody_to_ask_is_a_usage_error() {
        assertUsage(() -> password(), "no password for user top");
    }

    @Test
    void without_a_config_file_there_are_the_defaults() {
        shell.with("COUCHJOBS_CONFIG", "none");
        assertThat(settings().output()).isEqualTo(Format.TABLE);
        assertThat(settings().auth(settings().url())).isInstanceOf(Auth.None.class);

        options.profile = "staging";
        assertUsage(this::settings, "no profile 'staging': COUCHJOBS_CONFIG is none");
    }

    @Test
    void mistakes_in_the_config_file_are_named() throws IOException {
        options.profile = "production";
        assertUsage(this::settings, "no profile 'production'");
        options.profile = null;
        assertConfigRefused("ulr = \"http://x\"", "unknown setting or wrong kind of value: ulr");
        assertConfigRefused("insecure = \"yes\"", "unknown setting or wrong kind of value: insecure");
        assertConfigRefused("password = \"secret\"", "put the password into a file of its own");
        assertConfigRefused("url = ", "not TOML");
    }

    @Test
    void a_wrong_word_in_the_config_file_is_named_with_the_file_the_setting_and_what_there_is() throws IOException {
        Path file = Files.writeString(folder.resolve("config.toml"), "output = \"xml\"\ncolor = \"yes\"\n");
        assertUsage(() -> settings().output(), file + ": output: 'xml' is none of table, json, ");
        assertUsage(() -> settings().colour(), file + ": color: 'yes' is none of auto, always, never");
    }

    @Test
    void colours_are_for_terminals_and_for_who_wants_them() {
        assertThat(settings().colour()).isFalse();
        shell.terminals(new Shell.Terminals(true, true, true));
        assertThat(settings().colour()).isTrue();
        shell.with("TERM", "dumb");
        assertThat(settings().colour()).isFalse();
        shell.with("TERM", "xterm").with("NO_COLOR", "1");
        assertThat(settings().colour()).isFalse();
        options.color = GlobalOptions.Colour.ALWAYS;
        assertThat(settings().colour()).isTrue();
    }

    private void tokenInConfigFile() throws IOException {
        Files.writeString(folder.resolve("config.toml"), "user = \"top\"\ntoken-file = \"token\"\n");
        Files.writeString(folder.resolve("token"), "from the profile\n");
        shell.with("COUCHJOBS_PASSWORD", "from the environment");
    }

    private void assertConfigRefused(String line, String message) throws IOException {
        Files.writeString(folder.resolve("config.toml"), line + "\n");
        assertUsage(this::settings, message);
    }

    private static void assertUsage(ThrowingCallable action, String message) {
        Assertions.assertThatThrownBy(action)
                .hasMessageContaining(message)
                .hasMessageNotContaining("secret")
                .isInstanceOfSatisfying(CommandException.class, problem -> assertThat(problem.exitCode())
                        .isEqualTo(ExitCode.USAGE));
    }

    private Settings settings() {
        return Settings.of(options, shell.shell(new StringWriter(), new StringWriter()));
    }

    private String token() {
        return ((Auth.Bearer) settings().auth(settings().url())).token().get();
    }

    private Auth.Basic basic() {
        return (Auth.Basic) settings().auth(settings().url());
    }

    private String user() {
        return basic().user();
    }

    private String password() {
        return basic().password().reveal();
    }
}
