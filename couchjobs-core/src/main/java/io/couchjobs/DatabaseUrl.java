package io.couchjobs;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/**
 * The URL of a database as a user gives it: the server's address and behind it the database's name. No message shows its
 * password.
 */
record DatabaseUrl(URI given) {

    /** As {@link URI#create}, whose message shows the password. */
    static DatabaseUrl parse(String url) {
        return new DatabaseUrl(uri(url, url));
    }

    /** The name of the database. */
    String name() {
        String path = path();
        String name = path.substring(path.lastIndexOf('/') + 1);
        if (name.isEmpty()) {
            throw new IllegalArgumentException(
                    "the URL must name the database, as in http://127.0.0.1:5984/jobs: " + this);
        }
        return URLDecoder.decode(name.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** The address of its server, with the credentials. */
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

    /** Without user and password. */
    @Override
    public String toString() {
        return withoutUserInfo(given.toString());
    }

    /** Drops everything between the scheme and the last @: a password that is not encoded may hold any character. */
    private static String withoutUserInfo(String url) {
        return url.replaceFirst("(?s)^([A-Za-z][A-Za-z0-9+.-]*:/*)?.*@", "$1");
    }
}
