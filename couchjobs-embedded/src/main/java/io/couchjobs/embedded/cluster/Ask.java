package io.couchjobs.embedded.cluster;

import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A question of one node to another.
 *
 * @param asker the node that asks; it gets no reply if it was stopped meanwhile
 * @param work computes the answer at the asked node
 * @param writes whether the answer must wait for the disk
 * @param reply receives the answer
 * @param lost is called when there will be no answer
 */
record Ask<T>(Member asker, Member asked, Supplier<T> work, boolean writes, Consumer<T> reply, Runnable lost) {
    void down() {
        asker.perform(0, lost);
    }

    /** Compares by identity. */
    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
