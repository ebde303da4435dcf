package io.couchjobs.schedule;

/** The treatment of ticks that no scheduler was there for. Immutable and thread-safe. */
public enum MissedPolicy {
    /** One job for all of them, with the id of the first; then the next tick after now. The default. */
    ONCE("once"),
    /** No job for those that are more than a minute late. */
    SKIP("skip"),
    /** A job for each, at most {@value #MOST_MADE_UP}: the first ones. Needs {@link OverlapPolicy#ALLOW}. */
    ALL("all");

    /** The largest number of jobs that {@link #ALL} makes up for. */
    public static final int MOST_MADE_UP = 100;

    private final String json;

    MissedPolicy(String json) {
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
