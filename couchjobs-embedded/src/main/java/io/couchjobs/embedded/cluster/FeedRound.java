package io.couchjobs.embedded.cluster;

import io.couchjobs.embedded.store.Change;
import io.couchjobs.embedded.store.Doc;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Reads the changes after a position, from one copy per range. Prefers the copy that was read before. When that copy is out of
 * reach, reads another copy, from a change (possibly the first) before which the reader has missed nothing.
 */
final class FeedRound {
    /** The microseconds after which the round fails if a range has no copy in reach. */
    private static final long NOBODY = 100_000;

    private final Shards shards;
    private final Member at;
    private final Consumer<FeedRow> rows;
    private final Consumer<Optional<PackedSeq>> end;
    private PackedSeq position;
    private int waiting;
    private boolean over;

    private FeedRound(
            Shards shards, Member at, PackedSeq since, Consumer<FeedRow> rows, Consumer<Optional<PackedSeq>> end) {
        this.shards = shards;
        this.at = at;
        this.position = since;
        this.rows = rows;
        this.end = end;
    }

    /** The changes of a copy after a sequence number. */
    private record Found(List<Doc> docs, long reached) {}

    /** Starts a round. {@code end} receives the new position, or an empty value when a copy was lost. */
    static void start(
            Shards shards, Member at, PackedSeq since, Consumer<FeedRow> rows, Consumer<Optional<PackedSeq>> end) {
        new FeedRound(shards, at, since, rows, end).send();
    }

    private void send() {
        waiting = shards.ranges().count();
        IntStream.range(0, waiting).forEach(this::send);
    }

    private void send(int range) {
        List<Copy> reachable = shards.reachable(at, range);
        PackedSeq.Place last = position.places().get(range);
        for (Copy same : reachable) {
            if (last != null && same.member().number() == last.node()) {
                ask(same, last.seq());
                return;
            }
        }
        if (reachable.isEmpty()) {
            at.perform(NOBODY, this::lost);
            return;
        }
        Copy other = reachable.get(0);
        ask(other, position.place(range).map(place -> other.startFor(place)).orElse(0L));
    }

    private void ask(Copy copy, long after) {
        shards.ask(at, copy, false, () -> found(copy, after), found -> replied(copy, found), this::lost);
    }

    private static Found found(Copy copy, long after) {
        List<Doc> docs = new ArrayList<>();
        long reached = after;
        Iterator<Change> changes = copy.database().changes(after);
        while (changes.hasNext()) {
            Change change = changes.next();
            copy.database().winner(change.id()).ifPresent(docs::add);
            reached = change.seq();
        }
        return new Found(docs, reached);
    }

    private void replied(Copy copy, Found found) {
        if (over) {
            return;
        }
        for (Doc doc : found.docs()) {
            move(copy, doc.seq());
            rows.accept(new FeedRow(position.text(), doc));
        }
        move(copy, found.reached());
        waiting--;
        if (waiting == 0) {
            over = true;
            end.accept(Optional.of(position));
        }
    }

    private void move(Copy copy, long seq) {
        position = position.with(copy.range(), new PackedSeq.Place(copy.member().number(), seq));
    }

    private void lost() {
        if (!over) {
            over = true;
            end.accept(Optional.empty());
        }
    }
}
