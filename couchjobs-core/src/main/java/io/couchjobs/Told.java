package io.couchjobs;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A list of listeners, such as the extensions of a queue. Thread-safe. */
final class Told<T> {
    private static final Logger log = LoggerFactory.getLogger(Told.class);

    private final List<T> all;
    private final List<T> begun = new CopyOnWriteArrayList<>();

    Told(List<T> all) {
        this.all = all;
    }

    List<T> all() {
        return all;
    }

    /**
     * Notifies all listeners of the beginning. An exception is passed to the caller; {@link #end} then notifies only the listeners
     * before the failed one.
     */
    void begin(Consumer<T> news) {
        for (T one : all) {
            news.accept(one);
            begun.add(one);
        }
    }

    /** Notifies all listeners. An exception of one listener does not affect the others. */
    void tell(Consumer<T> news) {
        all.forEach(one -> tell(one, news));
    }

    /** Notifies the listeners of the end that were notified of the beginning. */
    void end(Consumer<T> news) {
        begun.forEach(one -> tell(one, news));
    }

    private void tell(T one, Consumer<T> news) {
        try {
            news.accept(one);
        } catch (RuntimeException | Error e) {
            log.error("an extension of the queue failed; nothing else is changed by that", e);
        }
    }
}
