package io.couchjobs;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/**
 * The URL of a database as the user gave it: the server's address, followed by the database's name. No message shows the password.
 */
record DatabaseUrl(URI given) {

    /** Parses a URL. Unlike {@link URI#create}, its exception message does not show the password. */
    static DatabaseUrl parse(String url) {
        return new DatabaseUrl(uri(url, url));
    }

    /** Returns the name of the database. */
    String name() {
        String path = path();
        String name = path.substring(path.lastIndexOf('/') + 1);
        if (name.isEmpty()) {
            throw new IllegalArgumentException(
                    "the URL must name the database, as in http://127.0.0.1:5984/jobs: " + this);
        }
        return URLDecoder.decode(name.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** Returns the address of the server, with the credentials. */
    URI server() {
        String path = path();
        String above = path.substring(0, Math.max(0, path.lastIndexOf('/')));
        return uri(given.getScheme() + "://" + given.getRawAuthority() + above, given.toString());
    }

    private String path() {
        String path = given.getRawPath() == null ? "" : given.getRawPath();
        if (path.indexOf('@') >= 0) {
            throw new IllegalArgumentException(
                    "the URL has an @ behind its host; in a password write @ and / as %40 and %2F");
        }
        return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    private static URI uri(String text, String given) {
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("not a URL: " + withoutUserInfo(given) + " (" + e.getReason() + ")");
        }
    }

    /** Returns the URL without user and password. */
    @Override
    public String toString() {
        return withoutUserInfo(given.toString());
    }

    /** Removes everything between the scheme and the last @, because an unencoded password may contain any character. */
    private static String withoutUserInfo(String url) {
        return url.replaceFirst("(?s)^([A-Za-z][A-Za-z0-9+.-]*:/*)?.*@", "$1");
    }
}
