package io.couchjobs.test;

import io.couchjobs.JobQueue;
import java.lang.reflect.Constructor;
import java.util.Optional;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Provides each test with a {@link TestQueue}. A parameter may have that type, or one of the types {@link JobQueue}, {@link
 * TestClock} and {@link TestFaults}, which are parts of the test queue. The constructor, {@code @BeforeEach}, {@code @Test} and
 * {@code @AfterEach} of one test get the same queue. The queue has its own server and is closed after the test. Needs JUnit 5.13
 * or newer. Thread-safe: tests may run in parallel.
 */
public final class CouchJobsExtension implements ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(CouchJobsExtension.class);

    /** Called by JUnit. */
    public CouchJobsExtension() {}

    /** Gives the constructor the scope of its test, so that both get the same queue. */
    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
        return ExtensionContextScope.TEST_METHOD;
    }

    /** Leaves a parameter with an annotation, such as Spring's {@code @Autowired}, to the extension of that annotation. */
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        if (parameter.getParameter().getDeclaredAnnotations().length > 0) {
            return false;
        }
        Class<?> type = parameter.getParameter().getType();
        return type == TestQueue.class || type == JobQueue.class || type == TestClock.class || type == TestFaults.class;
    }

    @Override
    public @Nullable Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        TestQueue jobs = provided(context).orElseGet(() -> own(parameter, context));
        Class<?> type = parameter.getParameter().getType();
        if (type == TestQueue.class) {
            return jobs;
        }
        return type == JobQueue.class ? jobs.queue() : type == TestClock.class ? jobs.clock() : jobs.faults();
    }

    private static TestQueue own(ParameterContext parameter, ExtensionContext context) {
        boolean isForAllTests = context.getTestMethod().isEmpty();
        if (isForAllTests && parameter.getDeclaringExecutable() instanceof Constructor<?>) {
            throw new ParameterResolutionException(
                    "with Lifecycle.PER_CLASS the constructor runs once for all tests of "
                            + context.getRequiredTestClass().getName()
                            + ", and each test has a queue of its own: make it a parameter of the test method or of @BeforeEach");
        }
        return context.getStore(NAMESPACE)
                .getOrComputeIfAbsent(context.getUniqueId(), test -> TestQueue.start(), TestQueue.class);
    }

    private static Optional<TestQueue> provided(ExtensionContext context) {
        return ServiceLoader.load(TestQueueProvider.class).stream()
                .flatMap(provider -> provider.get().find(context).stream())
                .findFirst();
    }
}
