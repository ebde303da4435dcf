package io.couchjobs.couch.config;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * A password or another text that must not be shown. Immutable; {@link #toString} returns {@code ***}.
 *
 * <p>The text is masked in memory, so that a search of a heap dump for passwords or strings does not find it. The mask is not
 * encryption: it is in the same memory, and {@link #reveal} creates a plain string that lives until it is collected.
 */
public final class Secret {
    private static final byte[] MASK = mask();

    private final byte[] masked;

    private Secret(byte[] masked) {
        this.masked = masked;
    }

    private static byte[] mask() {
        byte[] mask = new byte[64];
        new SecureRandom().nextBytes(mask);
        return mask;
    }

    /**
     * {@return a secret}
     *
     * @param value the plain text
     */
    public static Secret of(String value) {
        return new Secret(turned(value.getBytes(StandardCharsets.UTF_16BE)));
    }

    /** {@return the plain text} Do not log it, keep it, or put it into a message. */
    public String reveal() {
        return new String(turned(masked), StandardCharsets.UTF_16BE);
    }

    /** Masks plain bytes, and unmasks masked ones. */
    private static byte[] turned(byte[] bytes) {
        byte[] turned = bytes.clone();
        for (int i = 0; i < turned.length; i++) {
            turned[i] ^= MASK[i % MASK.length];
        }
        return turned;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Secret that && Arrays.equals(masked, that.masked);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(masked);
    }

    @Override
    public String toString() {
        return "***";
    }
}
