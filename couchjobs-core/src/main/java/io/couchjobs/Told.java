package io.couchjobs;

import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Those who are told what happens, such as the extensions of a queue. Immutable and thread-safe. */
record Told<T>(List<T> all) {
    private static final Logger log = LoggerFactory.getLogger(Told.class);

    /** An exception of one does not affect the others. */
    void tell(Consumer<T> news) {
        for (T one : all) {
            try {
                news.accept(one);
            } catch (RuntimeException | Error e) {
                log.error("an extension of the queue failed; nothing else is changed by that", e);
            }
        }
    }
}
