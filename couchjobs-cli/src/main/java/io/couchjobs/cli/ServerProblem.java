package io.couchjobs.cli;

import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchNotFoundException;
import io.couchjobs.couch.config.CouchUnauthorizedException;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.couch.config.HttpProxy;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Explains a problem between a command and the server, and how to solve it. Paths and statuses are shown only with {@code -v}.
 */
final class ServerProblem {
    private static final Pattern REFUSED = Pattern.compile("no connection \\(.* failed: (.*)\\)");
    private static final List<String> NO_DATABASE = List.of("Database does not exist.", "no_db_file");

    private static final String NO_MAJORITY = "no_majority";
    private static final String WRONG_PASSWORD = "Name or password is incorrect.";
    private static final String NO_LOGIN = "Authentication required.";
    private static final String NO_ACCESS = "You are not authorized to access this db.";
    private static final String NOT_ALLOWED = "You are not allowed to access this db.";
    private static final List<String> NO_ADMINISTRATOR =
            List.of("You are not a server admin.", "You are not a db or server admin.");

    private final Settings settings;
    private final QueueUrl url;

    ServerProblem(Settings settings) {
        this.settings = settings;
        this.url = settings.url();
    }

    /** {@return the explanation; empty for a problem that the server explains better} */
    Optional<String> explain(CouchException problem) {
        if (problem instanceof CouchUnreachableException) {
            return Optional.of(proxy().map(proxy -> "cannot reach CouchDB at " + server() + " through the proxy "
                            + proxy + ": " + why(problem.reason())
                            + ". Name another with --proxy, or go without by --proxy none")
                    .orElseGet(() -> "cannot reach CouchDB at " + server() + ": " + why(problem.reason())
                            + ". Start one with \"couchjobs serve\", or name yours with --url"));
        } else if (problem instanceof CouchNotFoundException && NO_DATABASE.contains(problem.reason())) {
            String database = database(problem);
            return Optional.of(
                    database.equals(url.name())
                            ? "there is no database " + database + " at " + server()
                                    + "; to create it, run \"couchjobs init\"; --url names another"
                            : "there is no database " + database);
        }
        return problem instanceof CouchUnauthorizedException || isRefusedSecurity(problem)
                ? refused(problem)
                : Optional.empty();
    }

    /** Returns whether a problem is a cluster's answer to a user who may not change the rights in a database. */
    static boolean isRefusedSecurity(Throwable problem) {
        return problem instanceof CouchException failed
                && failed.status() == 500
                && failed.path().endsWith("/_security")
                && List.of(failed.error(), failed.reason()).contains(NO_MAJORITY);
    }

    private Optional<URI> proxy() {
        return url.embedded().isPresent()
                ? Optional.empty()
                : settings.way().proxyOf(url.databases()).map(HttpProxy::url);
    }

    /** Returns the database of a request: the first part of its path. */
    private static String database(CouchException problem) {
        String first = problem.path().substring(1).replaceAll("[/?].*", "");
        return URLDecoder.decode(first.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static String why(String reason) {
        Matcher matcher = REFUSED.matcher(reason);
        return matcher.matches() ? matcher.group(1) : reason;
    }

    private Optional<String> refused(CouchException problem) {
        String reason = reason(problem);
        Optional<Path> token = settings.tokenFile().filter(file -> isAboutTheLogin(problem, reason));
        if (token.isPresent()) {
            return Optional.of(refusedToken(token.get(), reason));
        } else if (isRefusedSecurity(problem)) {
            return Optional.of("CouchDB at " + server() + " did not store who may use the database " + url.name()
                    + ": that needs an administrator (--user ADMIN), or too few of its nodes answered");
        }
        return switch (reason) {
            case WRONG_PASSWORD ->
                Optional.of("CouchDB at " + server() + " does not accept the name or the password (--user, "
                        + Settings.PASSWORD + " or --password-file)");
            case NO_LOGIN, NO_ACCESS ->
                Optional.of("CouchDB at " + server() + " requires a login: give --user NAME, and the password by "
                        + Settings.PASSWORD + " or --password-file");
            case "You are not a server admin.", "You are not a db or server admin." ->
                Optional.of(needsAdministrator(problem));
            case NOT_ALLOWED ->
                Optional.of(
                        "the user may not use the database " + url.name() + " at " + server()
                                + "; give another --user, or have an administrator run \"couchjobs init --create-user worker:NAME\"");
            default -> Optional.empty();
        };
    }

    private static boolean isAboutTheLogin(CouchException problem, String reason) {
        return (problem.status() == 400 || problem.status() == 401) && !NO_ADMINISTRATOR.contains(reason);
    }

    /**
     * Explains that a token was refused. A server that does not accept a token says why, or treats the request as one without a
     * login.
     */
    private String refusedToken(Path file, String reason) {
        boolean saysNothing = List.of(WRONG_PASSWORD, NO_LOGIN, NO_ACCESS).contains(reason);
        return "CouchDB at " + server() + " does not accept the token in " + file + " (--token-file)"
                + (saysNothing ? "" : ": " + reason);
    }

    /** Returns the reason of a problem. An answer to HEAD has no body with a reason, so the status has to tell it. */
    private String reason(CouchException problem) {
        if (!problem.method().equals("HEAD")) {
            return problem.reason();
        } else if (problem.status() == 403) {
            return NOT_ALLOWED;
        }
        return settings.hasLogin() ? WRONG_PASSWORD : NO_LOGIN;
    }

    private String needsAdministrator(CouchException problem) {
        if (problem.path().startsWith("/" + url.name() + "/_design/")) {
            return "the database " + url.name() + " at " + server()
                    + " lacks design documents of this version, and the user may not store them; an administrator of CouchDB can:"
                    + " couchjobs init --user ADMIN";
        }
        boolean creates = problem.method().equals("PUT") && problem.path().equals("/" + url.name());
        return creates
                ? "the user may not create the database " + url.name() + " at " + server()
                        + "; an administrator of CouchDB can: couchjobs init --user ADMIN"
                : "that needs an administrator of CouchDB at " + server() + ": --user ADMIN";
    }

    private String server() {
        return url.embedded().map(folder -> "the store in " + folder).orElseGet(this::servers);
    }

    private String servers() {
        return url.servers().stream()
                .map(URI::toString)
                .map(server -> server.replaceAll("/$", ""))
                .collect(Collectors.joining(" or "));
    }
}
