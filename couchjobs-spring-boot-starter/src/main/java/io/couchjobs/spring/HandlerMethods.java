package io.couchjobs.spring;

import io.couchjobs.job.JobType;
import io.couchjobs.worker.WorkerBuilder;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Finds the {@link JobHandler} methods of an application's beans; the beans are asked for when a job runs. */
final class HandlerMethods {
    private final ConfigurableApplicationContext context;

    HandlerMethods(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /** Gives each method to a worker; returns the types that have one. */
    List<String> addTo(WorkerBuilder worker) {
        List<String> types = new ArrayList<>();
        for (String name : context.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type = AutoProxyUtils.determineTargetClass(context.getBeanFactory(), name);
            if (type != null && !name.startsWith("scopedTarget.")) {
                methods(type).forEach((method, handler) -> {
                    add(worker, name, handler, method);
                    types.add(handler.value());
                });
            }
        }
        return types;
    }

    private void add(WorkerBuilder worker, String name, JobHandler handler, Method method) {
        Class<?> exposed = context.getType(name);
        Method invocable = exposed == null ? method : AopUtils.selectInvocableMethod(method, exposed);
        invocable.setAccessible(true);
        MethodHandler bound = MethodHandler.of(invocable, () -> context.getBean(name));
        worker.handler(bound.jobType(handler.value(), declared(handler.value())), bound);
    }

    /** The bean that says what a type's data is, and its defaults. */
    private Optional<JobType<?>> declared(String type) {
        return context.getBeanProvider(JobType.class).stream()
                .filter(bean -> bean.name().equals(type))
                .<JobType<?>>map(bean -> bean)
                .findFirst();
    }

    private static Map<Method, JobHandler> methods(Class<?> type) {
        return MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<JobHandler>)
                method -> AnnotatedElementUtils.findMergedAnnotation(method, JobHandler.class));
    }
}
