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
 * A running, CouchDB-compatible server inside this process, for development and tests. Not for production: the server is a single
 * node without replication and TLS, and its indexes and answers are sized for a developer's machine.
 *
 * <pre>{@code
 * try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start()) {
 *     URI url = couch.url();
 * }
 * }</pre>
 *
 * The server listens on the loopback interface only. Without an administrator, every client has all rights. Thread-safe.
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

    /** {@return a builder of a server that keeps its data in memory until it is closed} */
    public static Builder inMemory() {
        return new Builder();
    }

    /** {@return a builder with the defaults: in memory, a free port, no administrator} */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * {@return whether a folder contains the databases of a server}
     *
     * @param directory the folder, as for {@link Builder#directory}; may be missing
     */
    public static boolean isStore(Path directory) {
        return CouchStore.isIn(directory);
    }

    /** {@return the address of the server, with a slash at the end and without credentials} */
    public URI url() {
        return URI.create("http://127.0.0.1:" + port() + "/");
    }

    /** {@return the port of the server} */
    public int port() {
        return frontend.port();
    }

    /** {@return the faults that a test can inject} */
    public Faults faults() {
        return faults;
    }

    /** Ends all feeds and connections, and closes the store. The folder, if any, keeps all acknowledged writes. */
    @Override
    public void close() {
        faults.clear();
        frontend.close();
        store.close();
    }

    /** Collects the settings of a server. Not thread-safe. */
    public static final class Builder {
        private final Map<String, String> admins = new HashMap<>();
        private @Nullable Path directory;
        private int port;
        private @Nullable String database;
        private Cors cors = Cors.NONE;

        private Builder() {}

        /**
         * Keeps all data in one file in a folder. An answered write survives the death of the process. A damaged file is refused
         * if the damage is detected; contents have no checksums.
         *
         * @param folder the folder, which is created if missing; only one server at a time can use it
         * @return this
         */
        public Builder directory(Path folder) {
            this.directory = folder;
            return this;
        }

        /**
         * Keeps all data in memory, which is the default.
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
         * @param number the port; 0, the default, for a free port
         * @return this
         */
        public Builder port(int number) {
            this.port = number;
            return this;
        }

        /**
         * Creates a database, if it is missing, before the server accepts requests.
         *
         * @param name the name of the database
         * @return this
         */
        public Builder database(String name) {
            this.database = name;
            return this;
        }

        /**
         * Adds an administrator. Once there is an administrator, the security object of a database limits the rights of other
         * users. As in CouchDB, other users are documents in the database {@code _users}.
         *
         * @param user the name
         * @param password the password in clear text; kept in memory only
         * @return this
         */
        public Builder admin(String user, String password) {
            admins.put(user, password);
            return this;
        }

        /**
         * Allows web pages of one origin to use this server with credentials, so that PouchDB in a page can sync. By default,
         * browsers do not let pages of other origins read the server's answers.
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
         * @return the running server
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
