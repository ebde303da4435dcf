package io.couchjobs.spring;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.JobType;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.JobHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs a job by calling a method of a bean. Thread-safe, as far as the bean is.
 *
 * @param data the Java type of the method's parameter for the job's data; null without such a parameter
 */
record MethodHandler(Method method, @Nullable Type data, Supplier<Object> bean) implements JobHandler<Object> {

    /**
     * Creates the handler of a method.
     *
     * @throws IllegalStateException when the parameters do not fit a {@code @JobHandler} or {@code @OnChange} method
     */
    static MethodHandler of(Method method, Supplier<Object> bean) {
        List<Type> others = Arrays.stream(method.getGenericParameterTypes())
                .filter(type -> type != JobContext.class)
                .toList();
        boolean fits = others.size() <= 1 && method.getParameterCount() <= others.size() + 1;
        if (!fits || others.stream().anyMatch(MethodHandler::isPrimitive)) {
            throw new IllegalStateException(
                    "a @JobHandler or @OnChange method takes the job's data, a JobContext, both or none: " + method);
        }
        return new MethodHandler(method, others.isEmpty() ? null : others.get(0), bean);
    }

    private static boolean isPrimitive(Type type) {
        return type instanceof Class<?> known && known.isPrimitive();
    }

    /**
     * {@return the type of the jobs that this handler runs, with the defaults of the declared type}
     *
     * @param name the name of the type
     * @param declared the application's bean for that type, if it has one
     * @throws IllegalStateException when the declared type's data is of another Java type than the method's parameter
     */
    JobType<Object> jobType(String name, Optional<JobType<?>> declared) {
        JobType<Object> own = JobType.of(name, data == null ? ObjectNode.class : data);
        declared.filter(type -> data != null && !type.dataType().equals(own.dataType()))
                .ifPresent(other -> {
                    throw new IllegalStateException("the bean " + other
                            + " has other data than the method takes, which is " + own + ": " + method);
                });
        return declared.map(own::withDefaultsOf).orElse(own);
    }

    @Override
    public @Nullable Object handle(Object value, JobContext context) throws Exception {
        Object[] arguments = Arrays.stream(method.getParameterTypes())
                .map(type -> type == JobContext.class ? context : value)
                .toArray();
        try {
            return method.invoke(bean.get(), arguments);
        } catch (InvocationTargetException wrapped) {
            if (wrapped.getCause() instanceof Exception thrown) {
                throw thrown;
            }
            if (wrapped.getCause() instanceof Error error) {
                throw error;
            }
            throw wrapped;
        }
    }
}
