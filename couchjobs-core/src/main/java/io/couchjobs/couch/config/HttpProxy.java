package io.couchjobs.couch.config;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/**
 * An HTTP proxy between this client and the server. For an {@code https} server the client sends {@code CONNECT}, so the
 * proxy sees host names only. For an {@code http} server the proxy gets the requests themselves. Immutable; {@link #toString}
 * shows no password.
 *
 * @param url the proxy's root URL, {@code http} only, without credentials
 * @param credentials name and password for the proxy, if it requires them; sent with the first request, by basic
 *     authentication
 * @param except the servers that are reached without the proxy, in the format of {@code NO_PROXY}: host names, which include
 *     their subdomains (a leading dot makes no difference), numeric addresses, networks such as {@code 10.0.0.0/8}, each
 *     optionally with {@code :port}, and {@code *} for all servers
 */
public record HttpProxy(URI url, Optional<Auth.Basic> credentials, List<String> except) {

    /**
     * Creates a proxy.
     *
     * @param url the proxy's root URL; credentials in it are removed, and used if {@code credentials} is empty
     * @param credentials name and password for the proxy
     * @param except the servers that are reached without the proxy
     * @throws IllegalArgumentException if the URL is not that of an HTTP proxy; the message does not contain the URL
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
     * {@return the proxy at a URL, for all servers}
     *
     * @param url the proxy's root URL, {@code http} only; may contain {@code user:password@}, which becomes the credentials
     * @throws IllegalArgumentException if the URL is not that of an HTTP proxy; the message does not contain the URL
     */
    public static HttpProxy at(URI url) {
        return new HttpProxy(url, Optional.empty(), List.of());
    }

    /**
     * {@return this proxy, except for these servers}
     *
     * @param servers the servers, in the format of {@link #except()}; they replace the present ones
     */
    public HttpProxy except(List<String> servers) {
        return new HttpProxy(url, credentials, servers);
    }

    /**
     * {@return whether a server is reached through this proxy}
     *
     * @param host the server's name or numeric address, as in its URL
     * @param port the server's port
     */
    public boolean isFor(String host, int port) {
        return except.stream().noneMatch(pattern -> HostPattern.of(pattern).matches(host, port));
    }
}
