package io.couchjobs.cli;

import io.couchjobs.cli.GlobalOptions.Colour;
import io.couchjobs.cli.output.FileProblem;
import io.couchjobs.cli.output.Format;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.Secret;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/** The global options with their fallbacks: the option, else the environment, else the profile, else a default. */
final class Settings {
    static final String DEFAULT_URL = "http://127.0.0.1:5984/couchjobs";
    /**
     * The separator of URLs. A comma or a space may belong to the name or password in a URL, unless another URL begins after it.
     */
    private static final Pattern BETWEEN_URLS = Pattern.compile("[\\s,]+(?=https?://|embedded:)");

    static final String PASSWORD = "COUCHJOBS_PASSWORD";
    /** The prefix of the variables with the URLs of connections; the name of a connection follows. */
    static final String CONNECTION = "COUCHJOBS_CONNECTION_";

    private final GlobalOptions options;
    private final Shell shell;
    private final Profile profile;
    private final ConnectionOptions way;

    private Settings(GlobalOptions options, Shell shell, Profile profile) {
        this.options = options;
        this.shell = shell;
        this.profile = profile;
        this.way = new ConnectionOptions(options, shell, profile);
    }

    static Settings of(GlobalOptions options, Shell shell) {
        return new Settings(options, shell, new ConfigFile(shell).profile(options.profile));
    }

    /** {@return the location of the queue, and the user that the URL names} */
    QueueUrl url() {
        return QueueUrl.parse(isUrlGiven() ? givenUrls() : List.of(DEFAULT_URL));
    }

    /** {@return whether a URL is given by an option, the environment or the profile} */
    boolean isUrlGiven() {
        return !givenUrls().isEmpty();
    }

    /** {@return whether this command line asks for a server, by a URL or by a profile} */
    boolean isServerAsked() {
        boolean isProfiles = shell.variable("COUCHJOBS_URL").isEmpty() && isUrlGiven();
        return !options.urls.isEmpty() || (options.profile != null && isProfiles);
    }

    /** Returns the given URLs: one, or those of several nodes; empty when none is given. */
    private List<String> givenUrls() {
        if (!options.urls.isEmpty()) {
            return options.urls;
        }
        return shell.variable("COUCHJOBS_URL")
                .or(() -> profile.text("url"))
                .map(text -> List.of(BETWEEN_URLS.split(text.strip())))
                .orElse(List.of());
    }

    /** {@return the credentials; asks for the password when only the name is known} */
    Auth auth(QueueUrl url) {
        checkLogin();
        Optional<Path> token = tokenFile();
        if (token.isPresent()) {
            return new Auth.Bearer(() -> firstLine(token.get()));
        }
        if (options.user == null && url.hasCredentials()) {
            return url.credentials();
        }
        Optional<String> user = user(url);
        if (user.isPresent()) {
            return new Auth.Basic(user.get(), Secret.of(password(user.get())));
        }
        return url.credentials();
    }

    private void checkLogin() {
        if (options.tokenFile != null && (options.user != null || options.passwordFile != null)) {
            throw CommandException.usage((options.user != null ? "--user" : "--password-file")
                    + " and --token-file exclude each other: the server takes a password or a token");
        } else if (options.passwordFile != null && !hasLogin()) {
            throw CommandException.usage("--password-file needs --user: whose password is it?");
        }
    }

    /** {@return whether a user or a token is given} */
    boolean hasLogin() {
        return tokenFile().isPresent() || url().isOfSomebody() || user(url()).isPresent();
    }

    /** {@return the servers that triggers may name: COUCHJOBS_CONNECTION_SHOP has the URL of the connection shop} */
    Map<String, URI> connections() {
        Map<String, URI> connections = new TreeMap<>();
        shell.env().forEach((variable, url) -> {
            if (variable.startsWith(CONNECTION) && !url.isEmpty()) {
                String name = variable.substring(CONNECTION.length()).toLowerCase(Locale.ROOT);
                connections.put(name, server(variable, url));
            }
        });
        return connections;
    }

    /** Reads the URL of a connection. The error message does not show the URL, which may contain a password. */
    private static URI server(String variable, String url) {
        try {
            URI server = URI.create(url);
            CouchConfig.Builder unused = CouchConfig.builder(server);
            return server;
        } catch (IllegalArgumentException wrong) {
            throw CommandException.usage(variable + " is not the URL of a server");
        }
    }

    /** Returns the file with the token. A user in the options or in the URL takes precedence over the token of the profile. */
    Optional<Path> tokenFile() {
        boolean isUserNamed = options.user != null || url().isOfSomebody();
        return Optional.ofNullable(options.tokenFile)
                .or(() -> isUserNamed ? Optional.empty() : profile.file("token-file"));
    }

    Optional<Path> caCertificate() {
        return Optional.ofNullable(options.caCert).or(() -> profile.file("ca-cert"));
    }

    ConnectionOptions way() {
        return way;
    }

    boolean insecure() {
        return options.insecure || profile.flag("insecure");
    }

    Format output() {
        return Optional.ofNullable(options.output)
                .or(() -> profile.text("output").map(name -> constant(Format.class, "output", name)))
                .orElse(Format.TABLE);
    }

    boolean colour() {
        Colour when = Optional.ofNullable(options.color)
                .or(() -> profile.text("color").map(name -> constant(Colour.class, "color", name)))
                .orElse(Colour.AUTO);
        return switch (when) {
            case ALWAYS -> true;
            case NEVER -> false;
            case AUTO -> shell.terminals().out() && !isPlain();
        };
    }

    private boolean isPlain() {
        return shell.variable("NO_COLOR").isPresent()
                || shell.variable("TERM").filter("dumb"::equals).isPresent();
    }

    private Optional<String> user(QueueUrl url) {
        return Optional.ofNullable(options.user)
                .or(() -> Optional.ofNullable(url.user()))
                .or(() -> shell.variable("COUCHJOBS_USER"))
                .or(() -> profile.text("user"));
    }

    private String password(String user) {
        return Optional.ofNullable(options.passwordFile)
                .map(Settings::firstLine)
                .or(() -> shell.variable(PASSWORD))
                .or(() -> profile.file("password-file").map(Settings::firstLine))
                .or(() -> shell.prompt().apply("Password for " + user + ": "))
                .orElseThrow(() -> CommandException.usage("no password for user " + user + ": set " + PASSWORD
                        + " or give --password-file (there is no terminal to ask at, or nothing was typed)"));
    }

    static String firstLine(Path file) {
        return lines(file).stream().findFirst().orElse("");
    }

    static List<String> lines(Path file) {
        try {
            return Files.readString(file).lines().toList();
        } catch (IOException unreadable) {
            throw CommandException.usage("cannot read " + FileProblem.of(file, unreadable));
        }
    }

    private <E extends Enum<E>> E constant(Class<E> type, String key, String name) {
        try {
            return EnumNames.read(type, name);
        } catch (TypeConversionException unknown) {
            throw CommandException.usage(profile.file() + ": " + key + ": " + unknown.getMessage());
        }
    }
}
