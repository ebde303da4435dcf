package io.couchjobs.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;
import org.testcontainers.containers.Container;

/** Provides the connection details of a test's {@code couchdb} container that is annotated with {@code @ServiceConnection}. */
final class CouchDbContainerConnection
        extends ContainerConnectionDetailsFactory<Container<?>, CouchjobsConnectionDetails> {
    private static final int PORT = 5984;

    CouchDbContainerConnection() {
        super("couchdb");
    }

    @Override
    protected CouchjobsConnectionDetails getContainerConnectionDetails(ContainerConnectionSource<Container<?>> source) {
        return new Details(source);
    }

    private static final class Details extends ContainerConnectionDetails<Container<?>>
            implements CouchjobsConnectionDetails {
        Details(ContainerConnectionSource<Container<?>> source) {
            super(source);
        }

        @Override
        public String url() {
            return "http://" + getContainer().getHost() + ":" + getContainer().getMappedPort(PORT) + "/couchjobs";
        }

        @Override
        public @Nullable String user() {
            return getContainer().getEnvMap().get("COUCHDB_USER");
        }

        @Override
        public @Nullable String password() {
            return getContainer().getEnvMap().get("COUCHDB_PASSWORD");
        }
    }
}
