package io.couchjobs.cli;

import io.couchjobs.cli.output.Format;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The options that every command takes, before or after its name. An option that is not given is null or false. */
final class GlobalOptions {
    /** When to use colours. */
    enum Colour {
        AUTO,
        ALWAYS,
        NEVER;

        @Override
        public String toString() {
            return EnumNames.lowerCase(this);
        }
    }

    @Option(
            names = "--url",
            scope = ScopeType.INHERIT,
            paramLabel = "URL",
            description = {
                "The queue's database: http://HOST:PORT/DATABASE, or embedded:DIR for a store in a folder.",
                "For a cluster give several nodes: --url once for each, or COUCHJOBS_URL with spaces between them.",
                "Default: COUCHJOBS_URL, or http://127.0.0.1:5984/couchjobs.",
                "A URL without a database means the database couchjobs."
            })
    List<String> urls = new ArrayList<>();

    @Option(
            names = "--user",
            scope = ScopeType.INHERIT,
            paramLabel = "NAME",
            description = {
                "The user that logs in. The password comes from --password-file, COUCHJOBS_PASSWORD or a prompt.",
                "Default: COUCHJOBS_USER."
            })
    @Nullable
    String user;

    @Option(
            names = "--password-file",
            scope = ScopeType.INHERIT,
            paramLabel = "FILE",
            description = "A file whose first line is the password.")
    @Nullable
    Path passwordFile;

    @Option(
            names = "--token-file",
            scope = ScopeType.INHERIT,
            paramLabel = "FILE",
            description = "A file whose first line is a bearer token (JWT).")
    @Nullable
    Path tokenFile;

    @Option(
            names = "--ca-cert",
            scope = ScopeType.INHERIT,
            paramLabel = "FILE",
            description = "A PEM file with certificates to trust.")
    @Nullable
    Path caCert;

    @Option(
            names = "--client-cert",
            scope = ScopeType.INHERIT,
            paramLabel = "FILE",
            description = "Show this certificate to the server: a PEM file, or a PKCS #12 file with its key.")
    @Nullable
    Path clientCert;

    @Option(
            names = "--client-key",
            scope = ScopeType.INHERIT,
            paramLabel = "FILE",
            description = {
                "The private key of --client-cert, if it is not in the same file: PEM (PKCS #8).",
                "The password of an encrypted one comes from --client-key-password-file, "
                        + "COUCHJOBS_CLIENT_KEY_PASSWORD or a prompt."
            })
    @Nullable
    Path clientKey;

    @Option(
            names = "--client-key-password-file",
            scope = ScopeType.INHERIT,
            paramLabel = "FILE",
            description = "A file whose first line is the password of --client-key.")
    @Nullable
    Path clientKeyPasswordFile;

    @Option(
            names = "--proxy",
            scope = ScopeType.INHERIT,
            paramLabel = "URL",
            description = {
                "Reach the server through this HTTP proxy; none: through no proxy.",
                "Default: COUCHJOBS_PROXY, or https_proxy, http_proxy and all_proxy, but not for this machine.",
                "NO_PROXY names servers that are reached without it. A password belongs in the environment."
            })
    @Nullable
    String proxy;

    @Option(
            names = "--insecure",
            scope = ScopeType.INHERIT,
            description = "Do not check the server's certificate: anybody can listen.")
    boolean insecure;

    @Option(
            names = {"-o", "--output"},
            scope = ScopeType.INHERIT,
            paramLabel = "FORMAT",
            description = "table (default), json, ndjson, yaml, csv (the tables) or id (nothing else).")
    @Nullable
    Format output;

    @Option(
            names = "--color",
            scope = ScopeType.INHERIT,
            paramLabel = "WHEN",
            description = "auto (default: on a terminal, unless NO_COLOR is set or TERM is dumb), always or never.")
    @Nullable
    Colour color;

    @Option(
            names = "--profile",
            scope = ScopeType.INHERIT,
            paramLabel = "NAME",
            description = {
                "A profile of ~/.config/couchjobs/config.toml (COUCHJOBS_CONFIG names another file, or is none).",
                "Default: COUCHJOBS_PROFILE."
            })
    @Nullable
    String profile;

    @Option(
            names = {"-q", "--quiet"},
            scope = ScopeType.INHERIT,
            description = "No progress, no warnings.")
    boolean quiet;

    @Option(
            names = {"-v", "--verbose"},
            scope = ScopeType.INHERIT,
            description = "Log what happens; with the stack trace when something fails.")
    boolean verbose;

    @Option(
            names = {"-h", "--help"},
            scope = ScopeType.INHERIT,
            usageHelp = true,
            description = "Show this help.")
    boolean help;
}
