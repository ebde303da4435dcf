package io.couchjobs.couch;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How to reach a CouchDB server. Immutable; {@link #toString} shows no credentials. */
public final class CouchConfig {

    private static final int WORTH_COMPRESSING = 16 * 1024;

    private final URI url;
    private final Auth auth;
    private final Duration connectTimeout;
    private final Duration responseTimeout;
    private final int maxConnections;
    private final int maxFeedConnections;
    private final Optional<Path> caCertificate;
    private final boolean caCertificateOnly;
    private final boolean insecure;
    private final String userAgent;
    private final Optional<Integer> gzipAbove;

    private CouchConfig(Builder builder) {
        url = builder.url.bare();
        auth = builder.who();
        connectTimeout = builder.connectTimeout;
        responseTimeout = builder.responseTimeout;
        maxConnections = builder.maxConnections;
        maxFeedConnections = builder.maxFeedConnections;
        caCertificate = Optional.ofNullable(builder.caCertificate);
        caCertificateOnly = builder.caCertificateOnly;
        insecure = builder.insecure;
        userAgent = builder.userAgent;
        gzipAbove = builder.gzipChosen ? Optional.ofNullable(builder.gzipAbove) : defaultGzip(url);
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

    /** {@return the server's root, without credentials and without a slash at the end} */
    public URI url() {
        return url;
    }

    /** {@return who is asking; default {@link Auth.None}} */
    public Auth auth() {
        return auth;
    }

    /** {@return how long to wait for a connection to be made, or for a free one of the pool; default 10 s} */
    public Duration connectTimeout() {
        return connectTimeout;
    }

    /** {@return how long the server may be silent before an answer and within one; default 60 s} */
    public Duration responseTimeout() {
        return responseTimeout;
    }

    /** {@return the most connections at a time, feeds aside; default 16} */
    public int maxConnections() {
        return maxConnections;
    }

    /** {@return the most feeds open at a time; default 4} */
    public int maxFeedConnections() {
        return maxFeedConnections;
    }

    /** {@return a PEM file with certificates to trust; default none} */
    public Optional<Path> caCertificate() {
        return caCertificate;
    }

    /** {@return whether only {@link #caCertificate} is trusted, and not what the JVM trusts as well; default false} */
    public boolean caCertificateOnly() {
        return caCertificateOnly;
    }

    /** {@return whether certificates and host names go unchecked; default false} */
    public boolean insecure() {
        return insecure;
    }

    /** {@return how the client introduces itself; default {@code couchjobs}} */
    public String userAgent() {
        return userAgent;
    }

    /**
     * {@return from how many bytes on a request's body is sent compressed, once the server has shown itself to be
     * CouchDB; empty: never; default 16 KiB, and never to a server on this machine}
     */
    public Optional<Integer> gzipAbove() {
        return gzipAbove;
    }

    @Override
    public String toString() {
        return "CouchConfig[" + url + ", " + auth + "]";
    }

    private static Optional<Integer> defaultGzip(URI url) {
        String host = url.getHost();
        boolean here = host.equals("localhost") || host.startsWith("127.") || host.equals("[::1]");
        return here ? Optional.empty() : Optional.of(WORTH_COMPRESSING);
    }

    /** Collects the settings of a {@link CouchConfig}. Not thread-safe. */
    public static final class Builder {

        private final ServerUrl url;
        private @Nullable Auth auth;
        private Duration connectTimeout = Duration.ofSeconds(10);
        private Duration responseTimeout = Duration.ofSeconds(60);
        private int maxConnections = 16;
        private int maxFeedConnections = 4;
        private @Nullable Path caCertificate;
        private boolean caCertificateOnly;
        private boolean insecure;
        private String userAgent = "couchjobs";
        private boolean gzipChosen;
        private @Nullable Integer gzipAbove;

        private Builder(URI url) {
            this.url = new ServerUrl(url);
        }

        /**
         * Says who is asking.
         *
         * @param auth instead of credentials in the URL
         * @return this builder
         */
        public Builder auth(Auth auth) {
            this.auth = auth;
            return this;
        }

        /**
         * Limits the wait for a connection.
         *
         * @param timeout more than zero
         * @return this builder
         */
        public Builder connectTimeout(Duration timeout) {
            this.connectTimeout = timeout;
            return this;
        }

        /**
         * Limits the server's silence. It bounds no answer that keeps coming.
         *
         * @param timeout more than zero
         * @return this builder
         */
        public Builder responseTimeout(Duration timeout) {
            this.responseTimeout = timeout;
            return this;
        }

        /**
         * Limits the connections, feeds aside.
         *
         * @param connections at least 1
         * @return this builder
         */
        public Builder maxConnections(int connections) {
            this.maxConnections = connections;
            return this;
        }

        /**
         * Limits the feeds.
         *
         * @param connections at least 1
         * @return this builder
         */
        public Builder maxFeedConnections(int connections) {
            this.maxFeedConnections = connections;
            return this;
        }

        /**
         * Trusts these certificates besides those the JVM trusts.
         *
         * @param pem a file with one or more certificates
         * @return this builder
         */
        public Builder caCertificate(Path pem) {
            this.caCertificate = pem;
            this.caCertificateOnly = false;
            return this;
        }

        /**
         * Trusts these certificates and no others.
         *
         * @param pem a file with one or more certificates
         * @return this builder
         */
        public Builder caCertificateOnly(Path pem) {
            this.caCertificate = pem;
            this.caCertificateOnly = true;
            return this;
        }

        /**
         * Checks no certificates and no host names: anyone on the way can read and change everything.
         *
         * @param insecure default false
         * @return this builder
         */
        public Builder insecure(boolean insecure) {
            this.insecure = insecure;
            return this;
        }

        /**
         * Introduces the client.
         *
         * @param userAgent a text for the {@code User-Agent} header
         * @return this builder
         */
        public Builder userAgent(String userAgent) {
            this.userAgent = userAgent;
            return this;
        }

        /**
         * Compresses large request bodies, also to a server on this machine.
         *
         * @param bytes from this size on
         * @return this builder
         */
        public Builder gzipAbove(int bytes) {
            this.gzipChosen = true;
            this.gzipAbove = bytes;
            return this;
        }

        /**
         * Never compresses a request's body.
         *
         * @return this builder
         */
        public Builder gzipNever() {
            this.gzipChosen = true;
            this.gzipAbove = null;
            return this;
        }

        /**
         * {@return the configuration}
         *
         * @throws IllegalArgumentException with all problems at once
         */
        public CouchConfig build() {
            List<String> problems = problems();
            if (!problems.isEmpty()) {
                throw new IllegalArgumentException(String.join("; ", problems));
            }
            return new CouchConfig(this);
        }

        private List<String> problems() {
            List<String> problems = new ArrayList<>(url.problems());
            check(problems, positive(connectTimeout), "the connect timeout must be more than zero");
            check(problems, positive(responseTimeout), "the response timeout must be more than zero");
            check(problems, maxConnections >= 1, "there must be at least 1 connection");
            check(problems, maxFeedConnections >= 1, "there must be at least 1 feed connection");
            check(problems, gzipAbove == null || gzipAbove >= 0, "the size to compress from cannot be negative");
            check(problems, userAgent.matches("[ -~]+"), "the user agent must be printable ASCII");
            check(
                    problems,
                    auth == null || url.credentials().isEmpty(),
                    "credentials are given twice, once in the URL");
            check(
                    problems,
                    !(who() instanceof Auth.Basic basic) || basic.user().indexOf(':') < 0,
                    "a user's name cannot have a colon with basic authentication");
            check(problems, !insecure || caCertificate == null, "insecure and a CA certificate exclude each other");
            if (caCertificate != null) {
                check(problems, Files.isReadable(caCertificate), "the CA certificate cannot be read: " + caCertificate);
            }
            return problems;
        }

        private Auth who() {
            return auth != null ? auth : url.credentials().orElse(new Auth.None());
        }

        private static boolean positive(Duration duration) {
            return !duration.isNegative() && duration.toMillis() > 0;
        }

        private static void check(List<String> problems, boolean fine, String problem) {
            if (!fine) {
                problems.add(problem);
            }
        }
    }
}
