package io.couchjobs.couch.config;

import io.couchjobs.couch.config.CouchConfig.Address;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The URLs of the nodes as the user entered them, and the credentials for each. Not thread-safe. */
final class ServerUrls {
    private final List<ServerUrl> urls = new ArrayList<>();
    private @Nullable Auth auth;

    void add(URI url) {
        urls.add(new ServerUrl(url));
    }

    /** Sets the credentials for all nodes, instead of credentials in their URLs. */
    void auth(Auth credentials) {
        this.auth = credentials;
    }

    /** Returns the distinct nodes, in the order in which they were added. */
    List<Address> addresses() {
        Map<URI, Address> distinct = new LinkedHashMap<>();
        urls.forEach(url -> distinct.putIfAbsent(url.bare(), new Address(url.bare(), credentials(url))));
        return List.copyOf(distinct.values());
    }

    /** Returns whether all nodes are on this machine. */
    boolean areHere() {
        return addresses().stream().map(node -> node.url().getHost()).allMatch(ServerUrls::isHere);
    }

    private static boolean isHere(String host) {
        return host.equals("localhost") || host.startsWith("127.") || host.equals("[::1]");
    }

    void check(Problems problems) {
        urls.forEach(url -> url.check(problems));
        long inUrls = urls.stream().filter(url -> url.credentials().isPresent()).count();
        problems.require(auth == null || inUrls == 0, "credentials are given twice, once in the URL");
        problems.require(
                auth != null || inUrls == 0 || inUrls == urls.size(),
                "some of the servers' URLs have credentials and others have none");
        problems.require(
                urls.stream().map(this::credentials).noneMatch(ServerUrls::hasColon),
                "a user's name cannot have a colon with basic authentication");
    }

    private Auth credentials(ServerUrl url) {
        return auth != null ? auth : url.credentials().<Auth>map(basic -> basic).orElse(new Auth.None());
    }

    private static boolean hasColon(Auth auth) {
        return auth instanceof Auth.Basic basic && basic.user().indexOf(':') >= 0;
    }
}
