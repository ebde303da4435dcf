package io.couchjobs.embedded.tree;

import org.jspecify.annotations.Nullable;

/**
 * One revision in a tree.
 *
 * @param parent the revision that this one replaced; null for the first revision, or when the parent was stemmed
 * @param body the number of the stored content; {@link #NO_BODY} when it is not stored, or no longer
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
