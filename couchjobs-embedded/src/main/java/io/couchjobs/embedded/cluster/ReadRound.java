package io.couchjobs.embedded.cluster;

import io.couchjobs.embedded.store.Doc;
import io.couchjobs.embedded.store.Edit;
import io.couchjobs.embedded.tree.Revision;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A read of a document's winner. All copies are asked at once, and the answer is sent when a majority has the same winner. If the
 * copies disagree, all of them first get each other's winners with their histories. Other leaves are not sent.
 */
final class ReadRound {
    private static final Comparator<Doc> WINNING =
            Comparator.comparing((Doc doc) -> !doc.node().deleted()).thenComparing(Doc::rev);

    private final Shards shards;
    private final Member at;
    private final Consumer<Optional<Doc>> answer;
    private final List<Reply> replies = new ArrayList<>();
    private int waiting;
    private boolean over;

    /** The winner that a copy has replied. */
    private record Reply(Optional<Doc> doc, List<Revision> path) {
        static Reply of(Optional<Doc> doc) {
            return new Reply(
                    doc, doc.map(found -> found.tree().path(found.rev())).orElse(List.of()));
        }

        boolean isSameAs(Reply other) {
            return path.equals(other.path);
        }

        /** Returns whether CouchDB can tell that this winner is the other or its ancestor, by comparing their histories. */
        boolean isBehind(Reply other) {
            if (isSameAs(other) || path.isEmpty()) {
                return true;
            }
            int ahead = other.path.isEmpty()
                    ? -1
                    : other.path.get(0).pos() - path.get(0).pos();
            if (ahead <= 0 || ahead >= other.path.size()) {
                return false;
            }
            List<Revision> rest = other.path.subList(ahead, other.path.size());
            return rest.size() <= path.size() && rest.equals(path.subList(0, rest.size()));
        }
    }

    private ReadRound(Shards shards, Member at, Consumer<Optional<Doc>> answer) {
        this.shards = shards;
        this.at = at;
        this.answer = answer;
    }

    /** Starts a read. The answer is the winner, deleted or not; it is empty when no copy that replied has the document. */
    static void start(Shards shards, Member at, String id, Consumer<Optional<Doc>> answer) {
        new ReadRound(shards, at, answer).send(id);
    }

    private void send(String id) {
        List<Copy> copies = shards.of(id);
        waiting = copies.size();
        at.perform(shards.timeout(), this::settle);
        copies.forEach(
                copy -> shards.ask(at, copy, false, () -> copy.database().winner(id), this::replied, this::noMore));
    }

    private void replied(Optional<Doc> reply) {
        replies.add(Reply.of(reply));
        noMore();
    }

    private void noMore() {
        waiting--;
        if (over) {
            return;
        }
        Optional<Reply> agreed = agreed();
        if (agreed.isPresent()) {
            over = true;
            agree(agreed.get());
        } else if (waiting == 0) {
            settle();
        }
    }

    private Optional<Reply> agreed() {
        for (Reply reply : replies) {
            if (replies.stream().filter(reply::isSameAs).count() >= shards.majority()) {
                return Optional.of(reply);
            }
        }
        return Optional.empty();
    }

    /** Answers with the majority's winner. Repairs copies that are only behind in the background, others before the answer. */
    private void agree(Reply quorum) {
        boolean behind = replies.stream().allMatch(reply -> reply.isBehind(quorum));
        boolean differs = !replies.stream().allMatch(quorum::isSameAs);
        if (behind && differs) {
            repair(ignored -> {});
        }
        if (behind) {
            answer.accept(quorum.doc());
        } else {
            repair(ignored -> answer.accept(winner()));
        }
    }

    private void settle() {
        if (over) {
            return;
        }
        over = true;
        repair(ignored -> answer.accept(winner()));
    }

    private Optional<Doc> winner() {
        return replies.stream().flatMap(reply -> reply.doc().stream()).max(WINNING);
    }

    private void repair(Consumer<WriteAnswer> then) {
        List<Edit> winners = replies.stream()
                .flatMap(reply -> reply.doc().stream())
                .sorted(WINNING)
                .map(InternalReplication::edit)
                .distinct()
                .toList();
        WriteRound.start(shards, at, new WriteRound.Write(winners, true, shards.majority()), then);
    }
}
