package io.couchjobs.spring;

import io.couchjobs.job.JobType;
import io.couchjobs.schedule.ScheduleRequest;
import io.couchjobs.trigger.Trigger;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Finds the {@link JobHandler} and {@link OnChange} methods of beans. A bean is looked up only when its job runs. */
final class HandlerMethods {
    private final ConfigurableApplicationContext context;
    private final Schedules schedules;
    private final Triggers triggers;

    HandlerMethods(ConfigurableApplicationContext context) {
        this.context = context;
        this.schedules = new Schedules(context.getEnvironment());
        this.triggers = new Triggers(context.getEnvironment());
    }

    /** Returns the schedules of the annotated methods. The caller stores them before the worker starts. */
    List<ScheduleRequest> schedules() {
        List<ScheduleRequest> found = new ArrayList<>();
        each((bean, method, type) -> schedules.of(method, type).ifPresent(found::add));
        return found;
    }

    /** Returns the triggers of the annotated methods. The caller stores them before the worker starts. */
    List<Trigger> triggers() {
        List<Trigger> found = new ArrayList<>();
        each((bean, method, type) -> triggers.of(method, type).ifPresent(found::add));
        return found;
    }

    /** Passes each method to a worker, with the type of its jobs. */
    void addTo(BiConsumer<JobType<Object>, MethodHandler> worker) {
        each((bean, method, type) -> add(worker, bean, type, method));
    }

    private void each(Found found) {
        for (String name : context.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type = AutoProxyUtils.determineTargetClass(context.getBeanFactory(), name);
            if (type != null && !name.startsWith("scopedTarget.")) {
                methods(type).forEach((method, jobs) -> found.take(name, method, jobs));
            }
        }
    }

    /** Receives a method of a bean, and the type of its jobs. */
    private interface Found {
        void take(String bean, Method method, String type);
    }

    private void add(BiConsumer<JobType<Object>, MethodHandler> worker, String name, String type, Method method) {
        Class<?> exposed = context.getType(name);
        Method invocable = exposed == null ? method : AopUtils.selectInvocableMethod(method, exposed);
        invocable.setAccessible(true);
        MethodHandler bound = MethodHandler.of(invocable, () -> context.getBean(name));
        worker.accept(bound.jobType(type, declared(type)), bound);
    }

    /** Returns the application's bean that declares a type, if there is one. */
    private Optional<JobType<?>> declared(String type) {
        return context.getBeanProvider(JobType.class).stream()
                .filter(bean -> bean.name().equals(type))
                .<JobType<?>>map(bean -> bean)
                .findFirst();
    }

    private static Map<Method, String> methods(Class<?> type) {
        return MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<String>) HandlerMethods::jobs);
    }

    /** Returns the type of the jobs that a method handles; null when the method is not a handler. */
    private static @Nullable String jobs(Method method) {
        JobHandler handler = AnnotatedElementUtils.findMergedAnnotation(method, JobHandler.class);
        OnChange change = AnnotatedElementUtils.findMergedAnnotation(method, OnChange.class);
        return handler != null ? handler.value() : change != null ? change.name() : null;
    }
}
