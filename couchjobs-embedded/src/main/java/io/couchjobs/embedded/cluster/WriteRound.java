package io.couchjobs.embedded.cluster;

import io.couchjobs.embedded.store.Edit;
import io.couchjobs.embedded.store.EditResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * A write of documents. It is sent to all copies of its documents at once. The answer is sent when every document has its quorum,
 * when no further replies are expected, or after the timeout. Copies that reply later have stored the write anyway.
 *
 * @see <a href="https://docs.couchdb.org/en/stable/cluster/sharding.html#quorum">Quorum</a>
 */
final class WriteRound {
    private final Shards shards;
    private final Member at;
    private final List<Edit> edits;
    private final boolean replicated;
    private final Quorum quorum;
    private final Consumer<WriteAnswer> answer;
    private final List<List<EditResult>> replies = new ArrayList<>();
    private int waiting;
    private boolean over;

    private WriteRound(Shards shards, Member at, Write write, Consumer<WriteAnswer> answer) {
        this.shards = shards;
        this.at = at;
        this.edits = write.edits();
        this.replicated = write.replicated();
        this.quorum = new Quorum(write.quorum());
        this.answer = answer;
        edits.forEach(edit -> replies.add(new ArrayList<>()));
    }

    /**
     * The documents to write.
     *
     * @param replicated whether the documents keep their own revisions
     * @param quorum the number of copies that must store each document
     */
    record Write(List<Edit> edits, boolean replicated, int quorum) {}

    static void start(Shards shards, Member at, Write write, Consumer<WriteAnswer> answer) {
        new WriteRound(shards, at, write, answer).send();
    }

    private void send() {
        at.perform(shards.timeout(), this::conclude);
        Map<Integer, List<Integer>> documents = new TreeMap<>();
        for (int i = 0; i < edits.size(); i++) {
            int range = shards.ranges().of(edits.get(i).id());
            documents.computeIfAbsent(range, any -> new ArrayList<>()).add(i);
        }
        documents.keySet().forEach(range -> waiting += shards.ofRange(range).size());
        documents.forEach((range, some) -> shards.ofRange(range).forEach(copy -> send(copy, some)));
        if (waiting == 0) {
            conclude();
        }
    }

    private void send(Copy copy, List<Integer> documents) {
        List<Edit> sent = documents.stream().map(edits::get).toList();
        shards.ask(
                at,
                copy,
                true,
                () -> replicated ? copy.replicate(sent) : copy.write(sent),
                results -> replied(documents, results),
                this::down);
    }

    private void replied(List<Integer> documents, List<EditResult> results) {
        for (int i = 0; i < results.size(); i++) {
            replies.get(documents.get(i)).add(results.get(i));
        }
        waiting--;
        if (waiting == 0 || isDecided()) {
            conclude();
        }
    }

    private void down() {
        waiting--;
        if (waiting == 0) {
            conclude();
        }
    }

    private boolean isDecided() {
        for (int i = 0; i < edits.size(); i++) {
            if (early(i).isEmpty()) {
                return false;
            }
        }
        return true;
    }

    private Optional<WriteRow> early(int i) {
        return quorum.early(edits.get(i).id(), replies.get(i));
    }

    private void conclude() {
        if (over) {
            return;
        }
        over = true;
        List<WriteRow> rows = IntStream.range(0, edits.size())
                .mapToObj(i -> shown(quorum.last(edits.get(i).id(), replies.get(i))))
                .toList();
        answer.accept(new WriteAnswer(Quorum.status(rows, replies.stream().anyMatch(Quorum::disagree)), rows));
    }

    /** Hides, as CouchDB does, that fewer copies than the quorum stored a replicated write. */
    private WriteRow shown(WriteRow row) {
        return replicated && row.accepted() ? new WriteRow(row.id(), row.rev(), false, null) : row;
    }
}
