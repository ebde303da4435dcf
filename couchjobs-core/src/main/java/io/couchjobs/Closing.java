package io.couchjobs;

import org.jspecify.annotations.Nullable;

/** Closes several parts, even when some of them fail to close. */
final class Closing {
    private Closing() {}

    /**
     * Closes parts one after the other.
     *
     * @param parts the close action of each part
     * @throws RuntimeException the first exception, with the others suppressed; an {@link Error} is thrown in the same way
     */
    static void all(Runnable... parts) {
        Throwable first = null;
        for (Runnable part : parts) {
            try {
                part.run();
            } catch (RuntimeException | Error trouble) {
                first = with(first, trouble);
            }
        }
        if (first instanceof Error error) {
            throw error;
        } else if (first != null) {
            throw (RuntimeException) first;
        }
    }

    /** Closes something after a failure. An exception from closing is added to the failure as suppressed. */
    static void after(Throwable trouble, Runnable closing) {
        try {
            closing.run();
        } catch (RuntimeException | Error another) {
            with(trouble, another);
        }
    }

    private static Throwable with(@Nullable Throwable first, Throwable trouble) {
        if (first == null) {
            return trouble;
        }
        if (first != trouble) {
            first.addSuppressed(trouble);
        }
        return first;
    }
}
