package io.couchjobs.engine.claim;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Tells once that a claim does not own its job any more. Thread-safe. */
final class EndSignal {
    private final AtomicReference<@Nullable Runnable> untold;

    EndSignal(Runnable told) {
        this.untold = new AtomicReference<>(told);
    }

    /** Has somebody else told, too; at once when that is so already. */
    void also(Runnable told) {
        Runnable before = untold.getAndUpdate(known -> known == null
                ? null
                : () -> {
                    known.run();
                    told.run();
                });
        if (before == null) {
            told.run();
        }
    }

    boolean isTold() {
        return untold.get() == null;
    }

    void tell() {
        Runnable once = untold.getAndSet(null);
        if (once != null) {
            once.run();
        }
    }
}
