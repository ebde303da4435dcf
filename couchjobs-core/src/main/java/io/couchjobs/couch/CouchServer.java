package io.couchjobs.couch;

import java.time.Duration;
import java.util.List;

/**
 * A CouchDB server. Thread-safe; owns the connection pools, so have one per server and close it at the end.
 *
 * <p>Reads are repeated a few times when the connection fails or the server is busy (429, 503); writes never are.
 */
public final class CouchServer implements AutoCloseable {

    private final CouchConfig config;

    private CouchServer(CouchConfig config) {
        this.config = config;
    }

    /**
     * {@return a client for that server; nothing is sent yet}
     *
     * @param config where and how
     * @throws CouchException the certificates of the configuration cannot be read
     */
    public static CouchServer connect(CouchConfig config) {
        return new CouchServer(config);
    }

    /** {@return the configuration this client was made with} */
    public CouchConfig config() {
        return config;
    }

    /**
     * {@return what the server says about itself}
     *
     * @throws CouchException it could not be asked, or is no CouchDB
     */
    public ServerInfo info() {
        return later();
    }

    /**
     * {@return a client for one database, which need not exist; nothing is sent yet}
     *
     * @param name the database's name
     * @throws IllegalArgumentException CouchDB does not allow such a name
     */
    public CouchDatabase database(String name) {
        return new CouchDatabase(this, DatabaseName.checked(name));
    }

    /**
     * {@return the names of all databases}
     *
     * @throws CouchException they could not be listed
     */
    public List<String> databases() {
        return later();
    }

    /**
     * The server's clock minus this machine's, from the {@code Date} of the answers seen so far. Positive: the server is
     * ahead. Those dates have whole seconds; several answers narrow it down.
     *
     * @return the midpoint of what is possible; zero when the clocks may agree, and before any answer
     */
    public Duration clockSkew() {
        return later();
    }

    /** Closes all connections and ends all feeds. Closing twice does nothing. */
    @Override
    public void close() {}

    @SuppressWarnings("TypeParameterUnusedInFormals")
    private <T> T later() {
        throw new UnsupportedOperationException("not there yet");
    }
}
