package io.couchjobs.embedded.store;

import io.couchjobs.embedded.tree.RevTree;

/**
 * The record of a document, without contents.
 *
 * @param seq the sequence number of the document's newest change
 */
record DocRecord(long seq, RevTree tree) {
    static final DocRecord NONE = new DocRecord(0, RevTree.empty());
}
