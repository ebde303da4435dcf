package io.couchjobs.embedded.feed;

import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Doc;
import io.couchjobs.embedded.tree.Node;
import java.util.List;
import java.util.function.Predicate;

/**
 * The filter of a feed. Applies to the winner of a document, or to all of its leaves. A row shows the winner's document even if
 * the filter accepts only other leaves.
 *
 * @param allLeaves whether the filter applies to all leaves
 */
public record LeafFilter(Database database, boolean allLeaves, Predicate<Doc> filter) {
    /** {@return the leaves that the filter accepts; without any, the document gets no row} */
    public List<Node> chosen(Doc winner) {
        List<Node> leaves = allLeaves ? winner.tree().leaves() : List.of(winner.node());
        return leaves.stream().filter(leaf -> isChosen(winner, leaf)).toList();
    }

    private boolean isChosen(Doc winner, Node leaf) {
        return leaf.rev().equals(winner.rev())
                ? filter.test(winner)
                : database.revision(winner.id(), leaf.rev()).filter(filter).isPresent();
    }
}
