package io.couchjobs.cli;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Handles the signals INT (Ctrl-C), TERM and HUP. Standard Java has only shutdown hooks, which cannot tell a second Ctrl-C from
 * the first. The class {@code sun.misc.Signal} can, but it is not standard and may be absent, so it is used by reflection.
 */
final class Interrupts {
    private Interrupts() {}

    /**
     * Calls the action with the name of each signal, in a thread of the JVM. Has no effect on a JVM without signals. The second
     * signal ends the process within 5 s, whatever the action does.
     */
    static void onSignal(Consumer<String> action) {
        AtomicInteger times = new AtomicInteger();
        Consumer<String> counted = name -> {
            if (times.incrementAndGet() == 2) {
                HardExit.soon();
            }
            action.accept(name);
        };
        register("INT", counted);
        register("TERM", counted);
        register("HUP", counted);
    }

    private static void register(String name, Consumer<String> action) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            InvocationHandler call = (proxy, method, arguments) -> {
                if (method.getName().equals("handle")) {
                    action.accept(name);
                }
                return method.getReturnType() == int.class ? (Object) 0 : null;
            };
            Object listener = Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[] {handler}, call);
            Object which = signal.getConstructor(String.class).newInstance(name);
            signal.getMethod("handle", signal, handler).invoke(null, which, listener);
        } catch (ReflectiveOperationException | IllegalArgumentException unsupported) {
            // a signal then simply ends the JVM, and the activity monitor of another worker takes over
        }
    }
}
