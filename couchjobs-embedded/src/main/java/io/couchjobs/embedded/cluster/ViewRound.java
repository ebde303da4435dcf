package io.couchjobs.embedded.cluster;

import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.view.QueryArgs;
import java.util.List;
import java.util.function.Consumer;

/** One query on its way: all copies are asked, and the first one answers. All of them bring their indexes up to date. */
final class ViewRound {
    private final Consumer<ViewAnswer> answer;
    private int waiting;
    private boolean over;

    private ViewRound(Consumer<ViewAnswer> answer) {
        this.answer = answer;
    }

    /** The view and its parameters. */
    record Query(String designId, String view, QueryArgs args) {}

    static void start(Shards shards, Member at, Query query, Consumer<ViewAnswer> answer) {
        if (shards.ranges().count() > 1) {
            throw new IllegalStateException("The rows of several ranges cannot be merged.");
        }
        new ViewRound(answer).send(shards, at, query);
    }

    private void send(Shards shards, Member at, Query query) {
        List<Copy> copies = shards.reachable(at, 0);
        waiting = copies.size();
        at.perform(shards.timeout(), () -> conclude(noCopy()));
        copies.forEach(copy -> shards.ask(
                at,
                copy,
                false,
                () -> copy.view(query.designId(), query.view(), query.args()),
                this::conclude,
                this::lost));
    }

    private void lost() {
        waiting--;
        if (waiting == 0) {
            conclude(noCopy());
        }
    }

    private static ViewAnswer noCopy() {
        return ViewAnswer.refused(new CouchError(500, "timeout", "No copy answered."));
    }

    private void conclude(ViewAnswer found) {
        if (!over) {
            over = true;
            answer.accept(found);
        }
    }
}
