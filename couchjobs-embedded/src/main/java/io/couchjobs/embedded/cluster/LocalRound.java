package io.couchjobs.embedded.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.tree.Revision;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A read of a local document. All copies are asked. The answer is the revision that a majority has, or the greatest revision when
 * there is no majority. Copies are not repaired.
 */
final class LocalRound {
    private final Shards shards;
    private final Consumer<Optional<ObjectNode>> answer;
    private final List<Optional<ObjectNode>> replies = new ArrayList<>();
    private int waiting;
    private boolean over;

    private LocalRound(Shards shards, Consumer<Optional<ObjectNode>> answer) {
        this.shards = shards;
        this.answer = answer;
    }

    static void start(Shards shards, Member at, String id, Consumer<Optional<ObjectNode>> answer) {
        new LocalRound(shards, answer).send(at, id);
    }

    private void send(Member at, String id) {
        List<Copy> copies = shards.of(id);
        waiting = copies.size();
        at.perform(shards.timeout(), () -> conclude(greatest()));
        copies.forEach(copy ->
                shards.ask(at, copy, false, () -> copy.database().local().read(id), this::replied, this::noMore));
    }

    private void replied(Optional<ObjectNode> reply) {
        replies.add(reply);
        long same = replies.stream()
                .filter(other -> revision(other).equals(revision(reply)))
                .count();
        if (same >= shards.majority()) {
            conclude(reply);
        }
        noMore();
    }

    private void noMore() {
        waiting--;
        if (waiting == 0) {
            conclude(greatest());
        }
    }

    private Optional<ObjectNode> greatest() {
        return replies.stream()
                .flatMap(Optional::stream)
                .max(Comparator.comparingInt(doc -> Integer.parseInt(
                        revision(Optional.of(doc)).orElseThrow().hash())));
    }

    private static Optional<Revision> revision(Optional<ObjectNode> doc) {
        return doc.map(found -> Revision.parse(found.path("_rev").asText()));
    }

    private void conclude(Optional<ObjectNode> found) {
        if (!over) {
            over = true;
            answer.accept(found);
        }
    }
}
