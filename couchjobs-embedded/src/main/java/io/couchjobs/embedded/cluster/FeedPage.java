package io.couchjobs.embedded.cluster;

import java.util.List;

/**
 * All changes after a position.
 *
 * @param lastSeq the position after these changes
 */
public record FeedPage(List<FeedRow> rows, String lastSeq) {
    public FeedPage {
        rows = List.copyOf(rows);
    }
}
