package io.couchjobs.cli;

import io.couchjobs.couch.Auth;
import io.couchjobs.couch.Secret;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where a queue is. Credentials are taken out of the URL at once, so that no message can show them.
 *
 * @param database the database's URL, without credentials; for an embedded store a name only
 * @param folder the folder of an embedded store, or null
 * @param user the user whom the URL names without a password, or null
 * @param credentials the user and password in the URL
 */
record QueueUrl(
        URI database, @Nullable Path folder, @Nullable String user, Auth credentials) {
    private static final String EMBEDDED = "embedded:";
    private static final String DEFAULT_DATABASE = "couchjobs";

    static QueueUrl parse(String text) {
        if (text.startsWith(EMBEDDED)) {
            return embedded(text.substring(EMBEDDED.length()));
        }
        try {
            URI url = new URI(text);
            boolean http = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
            if (!http || url.getHost() == null) {
                throw bad(text, "give http://HOST:PORT/DATABASE or embedded:DIR");
            }
            String userInfo = url.getRawUserInfo();
            boolean nameOnly = userInfo != null && userInfo.indexOf(':') < 0;
            return nameOnly
                    ? new QueueUrl(database(url), null, decoded(userInfo), new Auth.None())
                    : new QueueUrl(database(url), null, null, credentials(userInfo));
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

    /** {@return the server's URL, with a slash at the end} */
    URI server() {
        return database.resolve(path().substring(0, path().lastIndexOf('/') + 1));
    }

    /** {@return the database's name, as it stands in the URL} */
    String name() {
        return path().substring(path().lastIndexOf('/') + 1);
    }

    /** {@return the URL of another database on the same server} */
    QueueUrl sibling(String name) {
        return new QueueUrl(server().resolve(name), null, user, credentials);
    }

    private String path() {
        return database.getRawPath();
    }

    private static QueueUrl embedded(String folder) {
        try {
            if (folder.isEmpty()) {
                throw bad(EMBEDDED, "give a folder: embedded:DIR");
            }
            return new QueueUrl(URI.create(DEFAULT_DATABASE), Path.of(folder), null, new Auth.None());
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

    private static CommandException bad(String text, String why) {
        return CommandException.usage(
                "not a URL of a queue: '" + text.replaceAll("//[^/@]*@", "//***@") + "' (" + why + ")");
    }
}
