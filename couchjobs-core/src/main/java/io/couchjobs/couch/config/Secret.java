package io.couchjobs.couch.config;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * A text that must not be shown: a password or a token. Immutable; {@link #toString} shows stars.
 *
 * <p>In memory it is masked, so that a search of a heap dump for passwords or strings does not find it. This is no
 * encryption: the mask is in the same memory, and {@link #reveal} makes a text that lives until it is collected.
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
     * {@return the secret with this text}
     *
     * @param value the text itself
     */
    public static Secret of(String value) {
        return new Secret(turned(value.getBytes(StandardCharsets.UTF_16BE)));
    }

    /** {@return the text itself; never log it or put it into a message, nor keep it} */
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
