package io.couchjobs.couch.config;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How to reach a CouchDB server, or the nodes of a cluster. Immutable; {@link #toString} shows no credentials. */
public final class CouchConfig {
    private static final int WORTH_COMPRESSING = 16 * 1024;

    private final List<Address> addresses;
    private final Duration connectTimeout;
    private final Duration responseTimeout;
    private final int maxConnections;
    private final int maxFeedConnections;
    private final TrustedCertificates trusted;
    private final Optional<ClientCertificate> clientCertificate;
    private final Optional<HttpProxy> proxy;
    private final String userAgent;
    private final int gzipAbove;

    private CouchConfig(Builder builder) {
        addresses = builder.urls.addresses();
        boolean several = addresses.size() > 1;
        connectTimeout = chosen(builder.connectTimeout, several ? 5 : 10);
        responseTimeout = chosen(builder.responseTimeout, several ? 20 : 60);
        maxConnections = builder.maxConnections;
        maxFeedConnections = builder.maxFeedConnections;
        trusted = builder.trusted;
        clientCertificate = Optional.ofNullable(builder.clientCertificate);
        proxy = Optional.ofNullable(builder.proxy);
        userAgent = builder.userAgent;
        gzipAbove = builder.gzipAbove();
    }

    /**
     * {@return a builder for the server at this address, with every other setting at its default}
     *
     * @param serverUrl the server's root, {@code http} or {@code https}; may hold a path (behind a proxy) and
     *     {@code user:password@}, which is taken out and becomes {@link Auth.Basic}; a query or fragment is refused
     */
    public static Builder builder(URI serverUrl) {
        return new Builder(serverUrl);
    }

    /**
     * A node.
     *
     * @param url the root of its server
     * @param auth the credentials for it
     */
    public record Address(URI url, Auth auth) {}

    /** {@return the nodes, in the order in which they are tried} */
    public List<Address> addresses() {
        return addresses;
    }

    /** {@return the root of the server, or of the first node, without credentials and without a slash at the end} */
    public URI url() {
        return addresses.get(0).url();
    }

    /** {@return the roots of all nodes, each once, in the order given; usually one} */
    public List<URI> urls() {
        return addresses.stream().map(Address::url).toList();
    }

    /** {@return the credentials for the first node; default {@link Auth.None}} */
    public Auth auth() {
        return addresses.get(0).auth();
    }

    /** {@return how long to wait for a connection, or for a free one of the pool; default 10 s, with several nodes 5 s} */
    public Duration connectTimeout() {
        return connectTimeout;
    }

    /**
     * {@return how long the server may be silent before an answer and within one; default 60 s, with several nodes 20 s}
     * A frozen node delays each of its clients once, for that long.
     */
    public Duration responseTimeout() {
        return responseTimeout;
    }

    /** {@return the most connections to a node at a time, those for feeds and for renewals of leases aside; default 16} */
    public int maxConnections() {
        return maxConnections;
    }

    /** {@return the most feeds open at a node at a time; default 4} */
    public int maxFeedConnections() {
        return maxFeedConnections;
    }

    /** {@return a PEM file with certificates to trust; default none} */
    public Optional<Path> caCertificate() {
        return trusted.file();
    }

    /** {@return whether {@link #caCertificate} is trusted without the JVM's certificates; default false} */
    public boolean caCertificateOnly() {
        return trusted.onlyFile();
    }

    /** {@return whether certificates and host names go unchecked; default false} */
    public boolean insecure() {
        return trusted.unchecked();
    }

    /** {@return the certificate that is shown to servers which ask for one; default none} */
    public Optional<ClientCertificate> clientCertificate() {
        return clientCertificate;
    }

    /** {@return the proxy on the way; default none, whatever the environment or the JVM's properties say} */
    public Optional<HttpProxy> proxy() {
        return proxy;
    }

    /** {@return how the client introduces itself; default {@code couchjobs}} */
    public String userAgent() {
        return userAgent;
    }

    /**
     * {@return from how many bytes on a request's body is sent compressed, once the server has shown itself to be
     * CouchDB; default 16 KiB, and {@link Integer#MAX_VALUE}, never, to a server on this machine}
     */
    public int gzipAbove() {
        return gzipAbove;
    }

    @Override
    public String toString() {
        String where = urls().stream().map(URI::toString).collect(Collectors.joining(" "));
        return "CouchConfig[" + where + ", " + auth() + "]";
    }

    private static Duration chosen(@Nullable Duration timeout, int defaultSeconds) {
        return timeout != null ? timeout : Duration.ofSeconds(defaultSeconds);
    }

    /** Collects the settings of a {@link CouchConfig}. Not thread-safe. */
    public static final class Builder {
        private final ServerUrls urls = new ServerUrls();
        private @Nullable Duration connectTimeout;
        private @Nullable Duration responseTimeout;
        private int maxConnections = 16;
        private int maxFeedConnections = 4;
        private TrustedCertificates trusted = TrustedCertificates.OF_THE_JVM;
        private @Nullable ClientCertificate clientCertificate;
        private @Nullable HttpProxy proxy;
        private String userAgent = "couchjobs";
        private @Nullable Integer gzipAbove;

        private Builder(URI url) {
            urls.add(url);
        }

        /**
         * {@return this builder, with another node of the same cluster} Each client asks one node at a time. It chooses its first
         * node at random, so that clients spread over the nodes, and asks another one when that node fails.
         *
         * @param serverUrl the node's root; with credentials of its own when the other URLs have some
         */
        public Builder node(URI serverUrl) {
            urls.add(serverUrl);
            return this;
        }

        /**
         * {@return this builder, with these credentials}
         *
         * @param auth instead of credentials in the URL
         */
        public Builder auth(Auth auth) {
            urls.auth(auth);
            return this;
        }

        /**
         * {@return this builder, with a limit to the wait for a connection}
         *
         * @param timeout more than zero
         */
        public Builder connectTimeout(Duration timeout) {
            this.connectTimeout = timeout;
            return this;
        }

        /**
         * {@return this builder, with a limit to the server's silence} It bounds no answer that keeps coming.
         *
         * @param timeout more than zero
         */
        public Builder responseTimeout(Duration timeout) {
            this.responseTimeout = timeout;
            return this;
        }

        /**
         * {@return this builder, with a limit to the connections, feeds aside}
         *
         * @param connections at least 1
         */
        public Builder maxConnections(int connections) {
            this.maxConnections = connections;
            return this;
        }

        /**
         * {@return this builder, with a limit to the feeds}
         *
         * @param connections at least 1
         */
        public Builder maxFeedConnections(int connections) {
            this.maxFeedConnections = connections;
            return this;
        }

        /**
         * {@return this builder, for a client that trusts these certificates besides those the JVM trusts} When the file
         * changes, new connections trust its new content.
         *
         * @param pem a file with one or more certificates
         */
        public Builder caCertificate(Path pem) {
            this.trusted = trusted.and(pem);
            return this;
        }

        /**
         * {@return this builder, for a client that trusts these certificates and no others}
         *
         * @param pem a file with one or more certificates
         */
        public Builder caCertificateOnly(Path pem) {
            this.trusted = trusted.only(pem);
            return this;
        }

        /**
         * {@return this builder, for a client that checks no certificates and no host names: anyone on the way can read and
         * change everything}
         *
         * @param insecure default false
         */
        public Builder insecure(boolean insecure) {
            this.trusted = trusted.unchecked(insecure);
            return this;
        }

        /**
         * {@return this builder, with a certificate for servers that ask for one}
         *
         * @param certificate it and its key, which are read by {@link io.couchjobs.couch.CouchServer#connect}
         */
        public Builder clientCertificate(ClientCertificate certificate) {
            this.clientCertificate = certificate;
            return this;
        }

        /**
         * {@return this builder, with a proxy by which the servers are reached}
         *
         * @param proxy where it is, and for which servers it is not
         */
        public Builder proxy(HttpProxy proxy) {
            this.proxy = proxy;
            return this;
        }

        /**
         * {@return this builder, with a text that introduces the client}
         *
         * @param userAgent a text for the {@code User-Agent} header
         */
        public Builder userAgent(String userAgent) {
            this.userAgent = userAgent;
            return this;
        }

        /**
         * {@return this builder, for a client that compresses large request bodies, also to a server on this machine}
         *
         * @param bytes from this size on; {@link Integer#MAX_VALUE}: never
         */
        public Builder gzipAbove(int bytes) {
            this.gzipAbove = bytes;
            return this;
        }

        /**
         * {@return the configuration}
         *
         * @throws IllegalArgumentException with all problems at once
         */
        public CouchConfig build() {
            Problems problems = new Problems();
            urls.check(problems);
            problems.require(isPositive(connectTimeout), "the connect timeout must be more than zero");
            problems.require(isPositive(responseTimeout), "the response timeout must be more than zero");
            problems.require(maxConnections >= 1, "there must be at least 1 connection");
            problems.require(maxFeedConnections >= 1, "there must be at least 1 feed connection");
            problems.require(gzipAbove == null || gzipAbove >= 0, "the size to compress from cannot be negative");
            problems.require(userAgent.matches("[ -~]+"), "the user agent must be printable ASCII");
            trusted.check(problems);
            problems.throwIfAny();
            return new CouchConfig(this);
        }

        private int gzipAbove() {
            if (gzipAbove != null) {
                return gzipAbove;
            }
            return urls.areHere() ? Integer.MAX_VALUE : WORTH_COMPRESSING;
        }

        private static boolean isPositive(@Nullable Duration timeout) {
            return timeout == null || (!timeout.isNegative() && timeout.toMillis() > 0);
        }
    }
}
