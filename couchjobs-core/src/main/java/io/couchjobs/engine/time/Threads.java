package io.couchjobs.engine.time;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Optional;

/** Makes daemon threads without inherited thread-locals. Threads of handlers are virtual where the JVM has virtual threads. */
final class Threads {
    private static final Optional<MethodHandle> VIRTUAL = virtualThreads();

    private Threads() {}

    static Thread daemon(String name, Runnable task) {
        Thread thread = new Thread(null, task, name, 0, false);
        thread.setDaemon(true);
        return thread;
    }

    static boolean areVirtual() {
        return VIRTUAL.isPresent();
    }

    static Thread ofHandler(String name, ClassLoader loader, Runnable task) {
        Thread thread = VIRTUAL.map(factory -> virtual(factory, name, task)).orElseGet(() -> daemon(name, task));
        thread.setContextClassLoader(loader);
        return thread;
    }

    private static Thread virtual(MethodHandle factory, String name, Runnable task) {
        try {
            Thread thread = (Thread) factory.invoke(task);
            thread.setName(name);
            return thread;
        } catch (Throwable e) {
            return daemon(name, task);
        }
    }

    /** Returns {@code Thread.ofVirtual().inheritInheritableThreadLocals(false)::unstarted}, which Java 17 does not have. */
    private static Optional<MethodHandle> virtualThreads() {
        try {
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            Class<?> builder = Class.forName("java.lang.Thread$Builder$OfVirtual");
            Object made = lookup.findStatic(Thread.class, "ofVirtual", MethodType.methodType(builder))
                    .invoke();
            MethodHandle bare = lookup.findVirtual(
                    builder, "inheritInheritableThreadLocals", MethodType.methodType(builder, boolean.class));
            Object configured = bare.invoke(made, false);
            Class<?> general = Class.forName("java.lang.Thread$Builder");
            return Optional.of(
                    lookup.findVirtual(general, "unstarted", MethodType.methodType(Thread.class, Runnable.class))
                            .bindTo(configured));
        } catch (Throwable noVirtualThreads) {
            return Optional.empty();
        }
    }
}
