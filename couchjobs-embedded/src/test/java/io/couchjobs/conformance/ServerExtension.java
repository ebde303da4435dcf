package io.couchjobs.conformance;

import java.lang.reflect.Method;
import java.net.URI;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.TestAbortedException;

/**
 * Hands a test the server ({@link Couch}) or fresh databases on it ({@link Db}, deleted after the test), and holds the
 * server to its list of {@link Deviations}.
 */
final class ServerExtension implements BeforeAllCallback, ParameterResolver, InvocationInterceptor {
    private final Supplier<URI> url;

    /** @param url asked before each test; the server with credentials of an administrator */
    ServerExtension(Supplier<URI> url) {
        this.url = url;
    }

    /** Starts the server, or aborts the class where there is none. */
    @Override
    public void beforeAll(ExtensionContext context) {
        server();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == Couch.class || type == Db.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Couch couch = server();
        if (parameter.getParameter().getType() == Couch.class) {
            return couch;
        }
        Fresh fresh = new Fresh(couch.newDatabase());
        context.getStore(Namespace.create(this, context.getUniqueId())).put(fresh, fresh);
        return fresh.db();
    }

    private Couch server() {
        return new Couch(url.get());
    }

    @Override
    public void interceptTestMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> call, ExtensionContext context)
            throws Throwable {
        run(invocation, call, context);
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> call, ExtensionContext context)
            throws Throwable {
        run(invocation, call, context);
    }

    private void run(Invocation<Void> invocation, ReflectiveInvocationContext<Method> call, ExtensionContext context)
            throws Throwable {
        Optional<String> deviation = deviation(call.getExecutable(), context);
        if (deviation.isEmpty()) {
            invocation.proceed();
        } else {
            expectFailure(invocation, deviation.get());
        }
    }

    private static void expectFailure(Invocation<Void> invocation, String reason) {
        try {
            invocation.proceed();
        } catch (TestAbortedException e) {
            throw e;
        } catch (Throwable failure) {
            throw new TestAbortedException("known deviation: " + reason, failure);
        }
        throw new AssertionError("deviation is gone, remove it: " + reason);
    }

    private Optional<String> deviation(Method method, ExtensionContext context) {
        String server = Deviations.server(server().get("/").json());
        String test = method.getDeclaringClass().getSimpleName() + "." + method.getName();
        return Deviations.reason(server, test)
                .or(() -> Deviations.reason(server, test + "[" + context.getDisplayName() + "]"));
    }

    /** A database that goes away with the test that got it. */
    private record Fresh(Db db) implements AutoCloseable {
        @Override
        public void close() {
            db.delete("");
        }
    }
}
