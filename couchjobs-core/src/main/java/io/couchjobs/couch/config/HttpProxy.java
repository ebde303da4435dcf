package io.couchjobs.couch.config;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/**
 * An HTTP proxy between this client and the server: asked to {@code CONNECT} for an {@code https} server, so that it sees
 * nothing but host names, and given the requests themselves for an {@code http} one. Immutable; {@link #toString} shows no
 * password.
 *
 * @param url the proxy's root, {@code http} only, without credentials
 * @param credentials name and password for the proxy, if it wants some; sent with the first request, by basic authentication
 * @param except which servers are reached without it, as {@code NO_PROXY} has them: host names, which stand for the names below
 *     them as well (a dot at the beginning changes nothing), numeric addresses, networks such as {@code 10.0.0.0/8}, each with
 *     {@code :port} if only one is meant, and {@code *} for all
 */
public record HttpProxy(URI url, Optional<Auth.Basic> credentials, List<String> except) {

    /**
     * Makes one.
     *
     * @param url as above; credentials in it are taken out, and used when no others are given
     * @param credentials as above
     * @param except as above
     * @throws IllegalArgumentException it is not the URL of an HTTP proxy; the message does not repeat it
     */
    public HttpProxy {
        except = List.copyOf(except);
        ServerUrl given = new ServerUrl(url, "proxy");
        Problems problems = new Problems();
        given.check(problems);
        problems.throwIfAny();
        if (!"http".equalsIgnoreCase(url.getScheme())) {
            throw new IllegalArgumentException(
                    "the proxy's URL must start with http://; it carries https nevertheless");
        }
        if (credentials.isEmpty() && given.credentials().isPresent()) {
            credentials = given.credentials();
        }
        url = given.bare();
    }

    /**
     * {@return the proxy with this address, for all servers}
     *
     * @param url the proxy's root, {@code http} only; may hold {@code user:password@}, which is taken out
     * @throws IllegalArgumentException it is not the URL of an HTTP proxy; the message does not repeat it
     */
    public static HttpProxy at(URI url) {
        return new HttpProxy(url, Optional.empty(), List.of());
    }

    /**
     * {@return this proxy, but not for these servers}
     *
     * @param servers in place of those excepted so far, as in {@link #except()}
     */
    public HttpProxy except(List<String> servers) {
        return new HttpProxy(url, credentials, servers);
    }

    /**
     * {@return whether a server is reached through it}
     *
     * @param host the server's name or numeric address, as in its URL
     * @param port the server's port
     */
    public boolean isFor(String host, int port) {
        return except.stream().noneMatch(pattern -> HostPattern.of(pattern).matches(host, port));
    }
}
