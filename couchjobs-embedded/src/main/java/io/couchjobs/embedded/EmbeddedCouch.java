package io.couchjobs.embedded;

import io.couchjobs.embedded.http.Accounts;
import io.couchjobs.embedded.http.Cors;
import io.couchjobs.embedded.http.Frontend;
import io.couchjobs.embedded.store.CouchStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running CouchDB-compatible server inside this process, for development and tests. Not for production: one node, no
 * replication of its own, no TLS, indexes and answers sized for a developer's machine.
 *
 * <pre>{@code
 * try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start()) {
 *     URI url = couch.url();
 * }
 * }</pre>
 *
 * It listens on the loopback interface only. Without an administrator everybody who can reach it may do everything.
 * Thread-safe.
 */
public final class EmbeddedCouch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedCouch.class);

    private final CouchStore store;
    private final Frontend frontend;
    private final Faults faults;

    private EmbeddedCouch(CouchStore store, Frontend frontend, Faults faults) {
        this.store = store;
        this.frontend = frontend;
        this.faults = faults;
    }

    /** {@return a builder of a server that forgets everything when it is closed} */
    public static Builder inMemory() {
        return new Builder();
    }

    /** {@return a builder with the defaults: in memory, a free port, no administrator} */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * {@return whether a server has kept its databases in a folder}
     *
     * @param directory the folder, as for {@link Builder#directory}; it need not exist
     */
    public static boolean isStore(Path directory) {
        return CouchStore.isIn(directory);
    }

    /** {@return where the server answers, with a slash at the end and without credentials} */
    public URI url() {
        return URI.create("http://127.0.0.1:" + port() + "/");
    }

    /** {@return the port it listens on} */
    public int port() {
        return frontend.port();
    }

    /** {@return the switch that makes requests fail, for tests} */
    public Faults faults() {
        return faults;
    }

    /** Ends all feeds and connections and closes the store. The folder keeps all acknowledged writes. */
    @Override
    public void close() {
        faults.clear();
        frontend.close();
        store.close();
    }

    /** Collects what a server is started with. Not thread-safe. */
    public static final class Builder {
        private final Map<String, String> admins = new HashMap<>();
        private @Nullable Path directory;
        private int port;
        private @Nullable String database;
        private Cors cors = Cors.NONE;

        private Builder() {}

        /**
         * Keeps everything in one file in a folder; a write that was answered survives the death of the process. A file that
         * others damaged is refused when the damage is detected; contents have no checksums.
         *
         * @param folder made when absent; one server at a time can have it
         * @return this
         */
        public Builder directory(Path folder) {
            this.directory = folder;
            return this;
        }

        /**
         * Keeps everything in memory, which is the default.
         *
         * @return this
         */
        public Builder inMemory() {
            this.directory = null;
            return this;
        }

        /**
         * Sets the port to listen on.
         *
         * @param number 0, the default, takes a free one
         * @return this
         */
        public Builder port(int number) {
            this.port = number;
            return this;
        }

        /**
         * Creates a database, where it is missing, before the server answers anybody.
         *
         * @param name its name
         * @return this
         */
        public Builder database(String name) {
            this.database = name;
            return this;
        }

        /**
         * Adds an administrator. From the first one on, others may do only what the security object of a database lets
         * them; ordinary users are documents in the database {@code _users}, as in CouchDB.
         *
         * @param user the name
         * @param password in clear text; kept in memory only
         * @return this
         */
        public Builder admin(String user, String password) {
            admins.put(user, password);
            return this;
        }

        /**
         * Lets web pages of one origin read and write here, with credentials, so that PouchDB in a page can sync with this
         * server. By default browsers let no page of another origin read an answer.
         *
         * @param origin scheme, host and port, as in {@code http://localhost:3000}
         * @return this
         */
        public Builder cors(String origin) {
            this.cors = new Cors(origin);
            return this;
        }

        /**
         * Starts the server.
         *
         * @return the server, listening
         * @throws UncheckedIOException when the port is taken, or the file in the folder is damaged
         */
        public EmbeddedCouch start() {
            CouchStore store = CouchStore.open(directory);
            Faults faults = new Faults();
            try {
                if (database != null && store.find(database).isEmpty()) {
                    store.create(database);
                }
                Frontend frontend = Frontend.start(port, store, new Accounts(admins, store), faults::fate, cors);
                LOG.info(
                        "The embedded CouchDB-compatible server, for development and tests only, listens on"
                                + " http://127.0.0.1:{}/ and keeps its data {}",
                        frontend.port(),
                        directory == null ? "in memory" : "in " + directory);
                return new EmbeddedCouch(store, frontend, faults);
            } catch (IOException e) {
                store.close();
                throw new UncheckedIOException(e);
            }
        }
    }
}
