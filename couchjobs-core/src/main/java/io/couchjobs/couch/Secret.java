package io.couchjobs.couch;

import java.util.Objects;

/** A text that must not be shown: a password or a token. Immutable; {@link #toString} shows stars. */
public final class Secret {

    private final String value;

    private Secret(String value) {
        this.value = Objects.requireNonNull(value);
    }

    /**
     * {@return the secret with this text}
     *
     * @param value the text itself
     */
    public static Secret of(String value) {
        return new Secret(value);
    }

    /** {@return the text itself; never log it or put it into a message} */
    public String reveal() {
        return value;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Secret that && value.equals(that.value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    @Override
    public String toString() {
        return "***";
    }
}
