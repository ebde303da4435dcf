package io.couchjobs.couch.config;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The configuration of a client for a CouchDB server or cluster. Immutable; {@link #toString} shows no credentials. */
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
     * {@return a builder for the server at a URL, with every other setting at its default}
     *
     * @param serverUrl the server's root URL, {@code http} or {@code https}. It may contain a path (behind a reverse proxy)
     *     and {@code user:password@}, which becomes {@link Auth.Basic}. A query or fragment is refused
     */
    public static Builder builder(URI serverUrl) {
        return new Builder(serverUrl);
    }

    /**
     * A node.
     *
     * @param url the root URL of the node
     * @param auth the credentials for the node
     */
    public record Address(URI url, Auth auth) {}

    /** {@return the distinct nodes, in the order in which they were added} */
    public List<Address> addresses() {
        return addresses;
    }

    /** {@return the root URL of the server, or of the first node, without credentials and without a trailing slash} */
    public URI url() {
        return addresses.get(0).url();
    }

    /** {@return the distinct root URLs of all nodes, in the order in which they were added; usually one} */
    public List<URI> urls() {
        return addresses.stream().map(Address::url).toList();
    }

    /** {@return the credentials for the first node; default {@link Auth.None}} */
    public Auth auth() {
        return addresses.get(0).auth();
    }

    /** {@return how long to wait for a new connection, or a free connection of the pool; default 10 s, with several nodes 5 s} */
    public Duration connectTimeout() {
        return connectTimeout;
    }

    /**
     * {@return how long the server may be silent before and during an answer; default 60 s, with several nodes 20 s} A frozen
     * node delays each of its clients once by this time.
     */
    public Duration responseTimeout() {
        return responseTimeout;
    }

    /** {@return the maximum number of connections per node, without those for feeds and lease renewals; default 16} */
    public int maxConnections() {
        return maxConnections;
    }

    /** {@return the maximum number of open feeds per node; default 4} */
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

    /** {@return whether certificates and host names are not checked; default false} */
    public boolean insecure() {
        return trusted.unchecked();
    }

    /** {@return the certificate for servers that request one; default none} */
    public Optional<ClientCertificate> clientCertificate() {
        return clientCertificate;
    }

    /** {@return the proxy; default none, whatever the environment or the JVM's properties say} */
    public Optional<HttpProxy> proxy() {
        return proxy;
    }

    /** {@return the value of the {@code User-Agent} header; default {@code couchjobs}} */
    public String userAgent() {
        return userAgent;
    }

    /**
     * {@return the size in bytes from which request bodies are compressed, once an answer has shown that the server is
     * CouchDB} The default is 16 KiB; for servers on this machine it is {@link Integer#MAX_VALUE}, which means never.
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
         * {@return this builder, with another node of the same cluster} Each client uses one node at a time. It chooses its
         * first node at random, so that clients spread over the nodes, and switches to another one when a node fails.
         *
         * @param serverUrl the node's root URL; must have credentials if the other URLs have credentials
         */
        public Builder node(URI serverUrl) {
            urls.add(serverUrl);
            return this;
        }

        /**
         * {@return this builder, with these credentials}
         *
         * @param auth the credentials for all nodes, instead of credentials in their URLs
         */
        public Builder auth(Auth auth) {
            urls.auth(auth);
            return this;
        }

        /**
         * {@return this builder, with a timeout for obtaining a connection}
         *
         * @param timeout more than zero
         */
        public Builder connectTimeout(Duration timeout) {
            this.connectTimeout = timeout;
            return this;
        }

        /**
         * {@return this builder, with a timeout for the server's silence} An answer that keeps arriving may take longer.
         *
         * @param timeout more than zero
         */
        public Builder responseTimeout(Duration timeout) {
            this.responseTimeout = timeout;
            return this;
        }

        /**
         * {@return this builder, with a limit to the connections per node, without feeds}
         *
         * @param connections at least 1
         */
        public Builder maxConnections(int connections) {
            this.maxConnections = connections;
            return this;
        }

        /**
         * {@return this builder, with a limit to the open feeds per node}
         *
         * @param connections at least 1
         */
        public Builder maxFeedConnections(int connections) {
            this.maxFeedConnections = connections;
            return this;
        }

        /**
         * {@return this builder, for a client that trusts these certificates in addition to the JVM's} When the file changes,
         * new connections trust its new content.
         *
         * @param pem a file with one or more certificates
         */
        public Builder caCertificate(Path pem) {
            this.trusted = trusted.and(pem);
            return this;
        }

        /**
         * {@return this builder, for a client that trusts these certificates only}
         *
         * @param pem a file with one or more certificates
         */
        public Builder caCertificateOnly(Path pem) {
            this.trusted = trusted.only(pem);
            return this;
        }

        /**
         * {@return this builder, for a client that checks or does not check certificates and host names} Without the checks,
         * an attacker between client and server can read and change all data.
         *
         * @param insecure true for no checks; default false
         */
        public Builder insecure(boolean insecure) {
            this.trusted = trusted.unchecked(insecure);
            return this;
        }

        /**
         * {@return this builder, with a certificate for servers that request one}
         *
         * @param certificate the certificate and its key, which {@link io.couchjobs.couch.CouchServer#connect} reads
         */
        public Builder clientCertificate(ClientCertificate certificate) {
            this.clientCertificate = certificate;
            return this;
        }

        /**
         * {@return this builder, with a proxy}
         *
         * @param proxy the proxy, and the servers that are reached without it
         */
        public Builder proxy(HttpProxy proxy) {
            this.proxy = proxy;
            return this;
        }

        /**
         * {@return this builder, with a value for the {@code User-Agent} header}
         *
         * @param userAgent printable ASCII characters
         */
        public Builder userAgent(String userAgent) {
            this.userAgent = userAgent;
            return this;
        }

        /**
         * {@return this builder, for a client that compresses large request bodies, even to a server on this machine}
         *
         * @param bytes the size from which bodies are compressed; {@link Integer#MAX_VALUE} means never
         */
        public Builder gzipAbove(int bytes) {
            this.gzipAbove = bytes;
            return this;
        }

        /**
         * {@return the configuration}
         *
         * @throws IllegalArgumentException if a setting is invalid; the message lists all problems
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
