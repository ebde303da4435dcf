package io.couchjobs.cli;

import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.Secret;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The location of a queue. Credentials are taken out of the URL at once, so that no message can show them.
 *
 * @param database the database's URL, without credentials; for an embedded store a name only
 * @param others the same database on other nodes of a cluster
 * @param folder the folder of an embedded store, or null
 * @param user the user that the URL names without a password, or null
 * @param credentials the user and password in the URL
 */
record QueueUrl(
        URI database,
        List<URI> others,
        @Nullable Path folder,
        @Nullable String user,
        Auth credentials) {
    private static final String EMBEDDED = "embedded:";
    private static final Pattern HTTP = Pattern.compile("https?://");
    private static final String DEFAULT_DATABASE = "couchjobs";

    /** Parses the URLs of the nodes of one cluster. The user and password of the first URL apply to all. */
    static QueueUrl parse(List<String> texts) {
        QueueUrl first = parse(texts.get(0));
        List<URI> others = new ArrayList<>();
        for (String text : texts.subList(1, texts.size())) {
            QueueUrl other = parse(text);
            if (first.folder != null || other.folder != null) {
                throw CommandException.usage("a store in a folder is no node of a cluster: give one URL");
            }
            if (!other.name().equals(first.name())) {
                throw CommandException.usage("the URLs must name one database, on several nodes of a cluster; "
                        + first.database + " and " + other.database + " name two");
            }
            if (other.isOfSomebody() && !other.isOfTheSame(first)) {
                throw CommandException.usage("the URLs must name one user that all nodes know; " + first.database
                        + " and " + other.database + " do not");
            }
            others.add(other.database);
        }
        return new QueueUrl(first.database, List.copyOf(others), first.folder, first.user, first.credentials);
    }

    /** {@return whether the URL names a user} */
    boolean isOfSomebody() {
        return user != null || hasCredentials();
    }

    private boolean isOfTheSame(QueueUrl other) {
        return Objects.equals(user, other.user) && credentials.equals(other.credentials);
    }

    private static QueueUrl parse(String text) {
        if (text.startsWith(EMBEDDED)) {
            return embedded(text.substring(EMBEDDED.length()));
        } else if (!HTTP.matcher(text).lookingAt()) {
            throw bad(text, "give http://HOST:PORT/DATABASE or embedded:DIR");
        }
        try {
            URI url = new URI(text);
            if (url.getHost() == null) {
                throw bad(text, "give http://HOST:PORT/DATABASE or embedded:DIR");
            }
            if (text.lastIndexOf('@')
                    > text.indexOf(url.getRawAuthority())
                            + url.getRawAuthority().length()) {
                throw bad(text, "an @ behind the host; in a password write @ / ? # as %40 %2F %3F %23");
            }
            if (url.getRawQuery() != null || url.getRawFragment() != null) {
                throw bad(text, "give http://HOST:PORT/DATABASE, without ? and #");
            }
            URI database = database(url);
            String name = decoded(nameOf(database));
            if (name.startsWith("_")) {
                throw bad(text, name + " is a database of CouchDB's own; the name of a queue's begins with a letter");
            }
            String userInfo = url.getRawUserInfo();
            boolean nameOnly = userInfo != null && userInfo.indexOf(':') < 0;
            return nameOnly
                    ? new QueueUrl(database, List.of(), null, decoded(userInfo), new Auth.None())
                    : new QueueUrl(database, List.of(), null, null, credentials(userInfo));
        } catch (URISyntaxException notAUrl) {
            throw bad(text, notAUrl.getReason());
        }
    }

    Optional<Path> embedded() {
        return Optional.ofNullable(folder);
    }

    boolean hasCredentials() {
        return !(credentials instanceof Auth.None);
    }

    /** {@return the database's URLs on all nodes} */
    List<URI> databases() {
        return Stream.concat(Stream.of(database), others.stream()).toList();
    }

    /** {@return the URLs of all nodes, with a slash at the end} */
    List<URI> servers() {
        return databases().stream().map(QueueUrl::server).toList();
    }

    private static URI server(URI database) {
        return URI.create(serverOf(database));
    }

    /**
     * Cuts off the name of the database. Does not resolve the URL as a browser would, because two slashes in a path would begin a
     * host.
     */
    private static String serverOf(URI database) {
        return database.toString().substring(0, database.toString().lastIndexOf('/') + 1);
    }

    /** {@return the database's name, as it stands in the URL} */
    String name() {
        return nameOf(database);
    }

    private static String nameOf(URI database) {
        String path = database.getRawPath();
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** {@return the URL of another database on the same server} */
    QueueUrl sibling(String name) {
        return new QueueUrl(
                URI.create(serverOf(database) + name),
                others.stream().map(other -> URI.create(serverOf(other) + name)).toList(),
                null,
                user,
                credentials);
    }

    private static QueueUrl embedded(String folder) {
        try {
            if (folder.isEmpty()) {
                throw bad(EMBEDDED, "give a folder: embedded:DIR");
            }
            return new QueueUrl(URI.create(DEFAULT_DATABASE), List.of(), Path.of(folder), null, new Auth.None());
        } catch (InvalidPathException notAPath) {
            throw bad(EMBEDDED + folder, notAPath.getReason());
        }
    }

    private static URI database(URI url) throws URISyntaxException {
        String path = url.getRawPath().replaceAll("/+$", "");
        String port = url.getPort() < 0 ? "" : ":" + url.getPort();
        return new URI(
                url.getScheme() + "://" + url.getHost() + port + (path.isEmpty() ? "/" + DEFAULT_DATABASE : path));
    }

    private static Auth credentials(@Nullable String userInfo) {
        if (userInfo == null) {
            return new Auth.None();
        }
        int colon = userInfo.indexOf(':');
        return new Auth.Basic(decoded(userInfo.substring(0, colon)), Secret.of(decoded(userInfo.substring(colon + 1))));
    }

    private static String decoded(String part) {
        return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** Returns the error, with the password masked. In a wrong URL, everything up to the last @ may belong to the password. */
    private static CommandException bad(String text, String why) {
        return CommandException.usage("not a URL of a queue: '"
                + text.replaceFirst("(?s)^([A-Za-z][A-Za-z0-9+.-]*:/*)?.*@", "$1***@") + "' (" + why + ")");
    }
}
