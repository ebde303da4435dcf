package io.couchjobs.embedded.store;

import io.couchjobs.embedded.tree.RevTree;

/**
 * A document's record, without its contents.
 *
 * @param seq where its newest change stands in the order of changes
 */
record DocRecord(long seq, RevTree tree) {
    static final DocRecord NONE = new DocRecord(0, RevTree.empty());
}
