package io.couchjobs.embedded.view;

import java.util.concurrent.TimeUnit;
import org.mozilla.javascript.Callable;
import org.mozilla.javascript.Context;
import org.mozilla.javascript.ContextFactory;
import org.mozilla.javascript.Scriptable;

/** The environment of scripts: no access to Java classes, ES6, and a time limit for every call. */
final class Sandbox extends ContextFactory {
    private static final long LONGEST_CALL_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int CHECK_EVERY = 50_000;

    private static final ThreadLocal<Long> DEADLINE = new ThreadLocal<>();

    /** Thrown when a script exceeds the time limit. An {@link Error}, so that no {@code catch} block of the script catches it. */
    static final class OutOfTime extends Error {
        OutOfTime() {
            super("the function ran for more than 5 seconds", null, false, false);
        }
    }

    @Override
    protected Context makeContext() {
        Context context = super.makeContext();
        context.setLanguageVersion(Context.VERSION_ES6);
        context.setClassShutter(className -> false);
        context.setGenerateObserverCount(true);
        context.setInstructionObserverThreshold(CHECK_EVERY);
        return context;
    }

    @Override
    protected Object doTopCall(Callable callable, Context context, Scriptable scope, Scriptable self, Object[] args) {
        DEADLINE.set(System.nanoTime() + LONGEST_CALL_NANOS);
        return super.doTopCall(callable, context, scope, self, args);
    }

    @Override
    protected void observeInstructionCount(Context context, int count) {
        Long deadline = DEADLINE.get();
        if (deadline != null && System.nanoTime() - deadline > 0) {
            throw new OutOfTime();
        }
    }
}
