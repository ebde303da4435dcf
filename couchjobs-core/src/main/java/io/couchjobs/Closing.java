package io.couchjobs;

import org.jspecify.annotations.Nullable;

/** Closes all parts of something, also when some of them fail. */
final class Closing {
    private Closing() {}

    /**
     * Closes parts, one after the other.
     *
     * @param parts what closes each of them
     * @throws RuntimeException the first trouble, with the others suppressed; an error likewise
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

    /** Closes something after a failure. A failure of the closing is added to it. */
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
