package io.couchjobs.embedded.cluster;

import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A question of one node to another.
 *
 * @param asker the node that wants to know; it learns nothing when it was stopped meanwhile
 * @param work what the asked node does to find the answer
 * @param writes whether the answer has to wait for the disk
 * @param reply receives the answer
 * @param lost is told that there will be no answer
 */
record Ask<T>(Member asker, Member asked, Supplier<T> work, boolean writes, Consumer<T> reply, Runnable lost) {
    void down() {
        asker.perform(0, lost);
    }

    /** Two questions are never the same one. */
    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
