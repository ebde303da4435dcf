package io.couchjobs.spring;

import io.couchjobs.test.CouchJobsTest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.util.ClassUtils;

/** Gives the application of a {@code @CouchJobsTest} a test queue, if couchjobs-test is on the class path. */
final class TestQueueCustomizerFactory implements ContextCustomizerFactory {
    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        boolean isThere = ClassUtils.isPresent(
                "io.couchjobs.test.CouchJobsTest", TestQueueCustomizerFactory.class.getClassLoader());
        return isThere && TestContextAnnotationUtils.hasAnnotation(testClass, CouchJobsTest.class)
                ? new TestQueueCustomizer(annotated(testClass))
                : null;
    }

    /** Returns the class that has the annotation: the test class or a class around it. */
    private static Class<?> annotated(Class<?> testClass) {
        Class<?> around = testClass.getEnclosingClass();
        return around == null || AnnotatedElementUtils.hasAnnotation(testClass, CouchJobsTest.class)
                ? testClass
                : annotated(around);
    }

    /** Spring shares a context between tests with equal customizers: here, between a class and the classes nested in it. */
    private record TestQueueCustomizer(Class<?> testClass) implements ContextCustomizer {
        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration merged) {
            context.getEnvironment()
                    .getPropertySources()
                    .addFirst(new MapPropertySource(
                            "couchjobs-test",
                            Map.of("couchjobs.url", "the queue of the test", "couchjobs.worker.enabled", "false")));
            ((BeanDefinitionRegistry) context.getBeanFactory())
                    .registerBeanDefinition(
                            "couchjobsTestQueueConfiguration", new RootBeanDefinition(TestQueueConfiguration.class));
        }
    }
}
