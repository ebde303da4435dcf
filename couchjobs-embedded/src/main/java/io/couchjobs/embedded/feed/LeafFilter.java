package io.couchjobs.embedded.feed;

import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Doc;
import io.couchjobs.embedded.tree.Node;
import java.util.List;
import java.util.function.Predicate;

/**
 * The filter of a feed. It looks at the winner of a document, or chooses among all of its leaves. A row shows the document of the winner
 * even if only others are chosen.
 *
 * @param allLeaves whether it looks at all leaves
 */
public record LeafFilter(Database database, boolean allLeaves, Predicate<Doc> filter) {
    /** {@return the leaves that a row names; without any there is no row} */
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
