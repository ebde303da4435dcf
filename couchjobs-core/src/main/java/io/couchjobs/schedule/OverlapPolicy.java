package io.couchjobs.schedule;

/** The treatment of a tick while a job of an earlier tick is not finished. Immutable and thread-safe. */
public enum OverlapPolicy {
    /** No job is made; the next tick is the next chance. The default. */
    SKIP("skip"),
    /** A job is made; several may run at once. */
    ALLOW("allow");

    private final String json;

    OverlapPolicy(String json) {
        this.json = json;
    }

    /** {@return the name in documents} */
    public String json() {
        return json;
    }

    @Override
    public String toString() {
        return json;
    }
}
