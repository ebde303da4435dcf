package io.couchjobs.embedded.cluster;

import io.couchjobs.embedded.store.Doc;

/**
 * A change as one copy has it.
 *
 * @param seq the position from which a feed goes on after this row
 * @param doc the winner in that copy, deleted or not
 */
public record FeedRow(String seq, Doc doc) {}
