package io.couchjobs.spring;

import io.couchjobs.test.TestQueue;
import io.couchjobs.test.TestQueueProvider;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/** Provides a Spring test with the {@link TestQueue} bean of its application context, if there is one. */
public final class SpringTestQueues implements TestQueueProvider {
    /** Called by the service loader. */
    public SpringTestQueues() {}

    @Override
    public Optional<TestQueue> find(ExtensionContext context) {
        return isOfSpring(context.getRequiredTestClass())
                ? Optional.ofNullable(SpringExtension.getApplicationContext(context)
                        .getBeanProvider(TestQueue.class)
                        .getIfAvailable())
                : Optional.empty();
    }

    private static boolean isOfSpring(@Nullable Class<?> testClass) {
        if (testClass == null || isExtended(testClass)) {
            return testClass != null;
        }
        return TestContextAnnotationUtils.searchEnclosingClass(testClass) && isOfSpring(testClass.getEnclosingClass());
    }

    private static boolean isExtended(Class<?> testClass) {
        return AnnotationSupport.findRepeatableAnnotations(testClass, ExtendWith.class).stream()
                .flatMap(extensions -> Arrays.stream(extensions.value()))
                .anyMatch(SpringExtension.class::equals);
    }
}
