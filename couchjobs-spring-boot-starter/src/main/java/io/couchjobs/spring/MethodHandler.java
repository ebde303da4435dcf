package io.couchjobs.spring;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.JobHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs a job by calling a method of a bean. Thread-safe, as far as the bean is. */
record MethodHandler<T>(Method method, Class<T> dataType, Supplier<Object> bean) implements JobHandler<T> {

    /**
     * Looks at a method's parameters.
     *
     * @throws IllegalStateException when they do not fit a {@code @JobHandler} method
     */
    static MethodHandler<?> of(Method method, Supplier<Object> bean) {
        List<Class<?>> others = Arrays.stream(method.getParameterTypes())
                .filter(type -> type != JobContext.class)
                .toList();
        boolean fits = others.size() <= 1 && method.getParameterCount() <= others.size() + 1;
        if (!fits || others.stream().anyMatch(Class::isPrimitive)) {
            throw new IllegalStateException(
                    "a @JobHandler method takes the job's data, a JobContext, both or none: " + method);
        }
        return others.isEmpty() ? of(method, ObjectNode.class, bean) : of(method, others.get(0), bean);
    }

    private static <T> MethodHandler<T> of(Method method, Class<T> dataType, Supplier<Object> bean) {
        return new MethodHandler<>(method, dataType, bean);
    }

    @Override
    public @Nullable Object handle(T data, JobContext context) throws Exception {
        Object[] arguments = Arrays.stream(method.getParameterTypes())
                .map(type -> type == JobContext.class ? context : data)
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
