package io.couchjobs.couch.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The URL of a server as the user entered it. Messages of this class never repeat the URL, because it may contain a password. */
final class ServerUrl {

    private final URI given;
    private final String whose;

    ServerUrl(URI given) {
        this(given, "server");
    }

    /** Creates the URL of another host, such as the proxy. */
    ServerUrl(URI given, String whose) {
        this.given = given;
        this.whose = whose;
    }

    void check(Problems problems) {
        String url = "the " + whose + "'s URL";
        problems.require(List.of("http", "https").contains(scheme()), url + " must start with http:// or https://");
        problems.require(given.getHost() != null, url + " has no usable host name");
        problems.require(
                given.getRawQuery() == null && given.getRawFragment() == null,
                url + " must not have a query or fragment (? or #)");
        problems.require(
                given.getRawPath() == null || given.getRawPath().indexOf('@') < 0,
                url + " has an @ behind its host; in a password write @ and / as %40 and %2F");
        problems.require(given.getPort() <= 65535, "the port of " + url + " is out of range");
    }

    /** Returns the URL without credentials and without a trailing slash. */
    URI bare() {
        String path = Optional.ofNullable(given.getRawPath()).orElse("").replaceAll("/+$", "");
        String port = given.getPort() < 0 ? "" : ":" + given.getPort();
        try {
            return new URI(scheme() + "://" + given.getHost() + port + path);
        } catch (URISyntaxException e) {
            throw new IllegalStateException("parts of a URL make no URL", e);
        }
    }

    Optional<Auth.Basic> credentials() {
        return Optional.ofNullable(given.getRawUserInfo()).map(info -> {
            int colon = info.indexOf(':');
            String user = colon < 0 ? info : info.substring(0, colon);
            String password = colon < 0 ? "" : info.substring(colon + 1);
            return new Auth.Basic(decoded(user), Secret.of(decoded(password)));
        });
    }

    private String scheme() {
        return Optional.ofNullable(given.getScheme()).orElse("").toLowerCase(Locale.ROOT);
    }

    /** Decodes percent escapes. Unlike in a form, a plus sign in a URL is literal. */
    private static String decoded(String part) {
        return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
