package io.couchjobs.engine.time;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.util.Optional;

/**
 * Makes a pooled thread like a new one, so that a handler finds no traces of the run before. Locks that a handler left
 * locked stay locked, as those of an ended thread do.
 *
 * <p>The JDK has no method that erases all thread-locals of a thread, so this class uses {@code sun.misc.Unsafe}. Only JVMs
 * before 21 need it: later ones have virtual threads, which are not reused.
 */
final class ThreadCleaner {
    private final MethodHandle put;
    private final long locals;
    private final long inheritableLocals;

    private ThreadCleaner(MethodHandle put, long locals, long inheritableLocals) {
        this.put = put;
        this.locals = locals;
        this.inheritableLocals = inheritableLocals;
    }

    /** Runs a task in the calling thread, which is like a new one before and after the task. */
    void run(String name, ClassLoader loader, Runnable task) {
        Thread thread = Thread.currentThread();
        String own = thread.getName();
        clean(thread);
        thread.setName(name);
        thread.setContextClassLoader(loader);
        try {
            task.run();
        } finally {
            clean(thread);
            thread.setName(own);
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // a handler may have changed it
    private void clean(Thread thread) {
        erase(thread, locals);
        erase(thread, inheritableLocals);
        thread.setPriority(Thread.NORM_PRIORITY);
        thread.setContextClassLoader(null);
        thread.setUncaughtExceptionHandler(null);
        boolean unused = Thread.interrupted();
    }

    private void erase(Thread thread, long field) {
        try {
            put.invoke(thread, field, (Object) null);
        } catch (Throwable impossible) {
            throw new LinkageError("cannot erase thread-locals", impossible);
        }
    }

    /**
     * Looks for a way to erase thread-locals. Must not be called where virtual threads exist, because newer JVMs warn about
     * the access that it needs.
     *
     * @return the cleaner; empty on a JVM that does not let it erase thread-locals
     */
    static Optional<ThreadCleaner> find() {
        try {
            Class<?> type = Class.forName("sun.misc.Unsafe");
            Field only = type.getDeclaredField("theUnsafe");
            only.setAccessible(true);
            Object unsafe = only.get(null);
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            MethodHandle offset = lookup.findVirtual(
                            type, "objectFieldOffset", MethodType.methodType(long.class, Field.class))
                    .bindTo(unsafe);
            MethodHandle put = lookup.findVirtual(
                            type,
                            "putObject",
                            MethodType.methodType(void.class, Object.class, long.class, Object.class))
                    .bindTo(unsafe);
            return Optional.of(
                    new ThreadCleaner(put, (long) offset.invoke(Thread.class.getDeclaredField("threadLocals")), (long)
                            offset.invoke(Thread.class.getDeclaredField("inheritableThreadLocals"))));
        } catch (Throwable notAllowed) {
            return Optional.empty();
        }
    }
}
