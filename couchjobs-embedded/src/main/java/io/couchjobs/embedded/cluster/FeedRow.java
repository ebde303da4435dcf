package io.couchjobs.embedded.cluster;

import io.couchjobs.embedded.store.Doc;

/**
 * A change in one copy.
 *
 * @param seq the position after this row
 * @param doc the winner in the copy, deleted or not
 */
public record FeedRow(String seq, Doc doc) {}
