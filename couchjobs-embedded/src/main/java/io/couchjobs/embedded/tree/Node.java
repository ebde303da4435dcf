package io.couchjobs.embedded.tree;

import org.jspecify.annotations.Nullable;

/**
 * One revision in a tree.
 *
 * @param parent the revision it was written over; null for the first one, or when that one was stemmed away
 * @param body where its content is stored; {@link #NO_BODY} when it is not, or no longer
 */
public record Node(Revision rev, @Nullable Revision parent, boolean deleted, long body) {
    public static final long NO_BODY = 0;

    Node under(@Nullable Revision otherParent) {
        return new Node(rev, otherParent, deleted, body);
    }

    Node withoutBody() {
        return new Node(rev, parent, deleted, NO_BODY);
    }
}
