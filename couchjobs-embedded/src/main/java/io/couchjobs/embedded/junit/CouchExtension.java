package io.couchjobs.embedded.junit;

import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Provides each test with a {@link TestDatabase} parameter with a new database, and each {@link TestServer} parameter with the
 * server.
 *
 * <pre>{@code
 * @ExtendWith(CouchExtension.class)
 * class MyJobsTest {
 *     @Test
 *     void a_mail_is_sent_once(TestDatabase database) {
 *         URI url = database.url();
 *     }
 * }
 * }</pre>
 *
 * The environment variable {@code COUCHJOBS_TEST_URL} names the server ({@code http://user:password@host:port}). Without it, all
 * tests of the JVM share an embedded, in-memory server. {@code @BeforeEach}, {@code @Test} and {@code @AfterEach} of one test get
 * the same database. A constructor or {@code @BeforeAll} gets a database for the whole class. Needs JUnit 5.13 or newer.
 * Thread-safe: tests may run in parallel.
 */
public final class CouchExtension implements ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(CouchExtension.class);

    private final Map<String, String> environment;

    /** Called by JUnit. */
    public CouchExtension() {
        this(System.getenv());
    }

    CouchExtension(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == TestDatabase.class || type == TestServer.class;
    }

    @Override
    public @Nullable Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == TestServer.class ? server(context).server() : database(context);
    }

    /** The key contains the test's id; otherwise the store would return the database of the enclosing class. */
    private TestDatabase database(ExtensionContext context) {
        SharedServer server = server(context);
        return computed(
                        context.getStore(NAMESPACE),
                        context.getUniqueId(),
                        key -> new OwnDatabase(server.server()),
                        OwnDatabase.class)
                .database();
    }

    private SharedServer server(ExtensionContext context) {
        return computed(
                context.getRoot().getStore(NAMESPACE),
                "server",
                key -> SharedServer.start(environment.get("COUCHJOBS_TEST_URL")),
                SharedServer.class);
    }

    private static <V> V computed(Store store, String key, Function<String, V> creator, Class<V> type) {
        return store.getOrComputeIfAbsent(key, creator, type);
    }
}
