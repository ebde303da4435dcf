package io.couchjobs.embedded.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.store.Doc;
import io.couchjobs.embedded.store.Edit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** A node as its clients see it. Answers arrive later, on the agenda. There is no answer if the node dies first. */
public final class Coordinator {
    private final Shards shards;
    private final Member member;

    Coordinator(Shards shards, Member member) {
        this.shards = shards;
        this.member = member;
    }

    /** Writes documents with the default quorum, a majority of the copies. */
    public void write(List<Edit> edits, Consumer<WriteAnswer> answer) {
        write(edits, shards.majority(), answer);
    }

    /**
     * Writes documents.
     *
     * @param quorum the number of copies that must store a document for a 201 ({@code w})
     */
    public void write(List<Edit> edits, int quorum, Consumer<WriteAnswer> answer) {
        start(new WriteRound.Write(edits, false, quorum), answer);
    }

    /** Writes documents with their own revisions ({@code new_edits=false}). */
    public void replicate(List<Edit> edits, Consumer<WriteAnswer> answer) {
        start(new WriteRound.Write(edits, true, shards.majority()), answer);
    }

    private void start(WriteRound.Write write, Consumer<WriteAnswer> answer) {
        member.perform(0, () -> WriteRound.start(shards, member, write, answer));
    }

    /** Reads the winner, which may be deleted, from the default number of copies, a majority. */
    public void read(String id, Consumer<Optional<Doc>> answer) {
        member.perform(0, () -> ReadRound.start(shards, member, id, answer));
    }

    /** Reads a local document from the default number of copies, a majority. */
    public void local(String id, Consumer<Optional<ObjectNode>> answer) {
        member.perform(0, () -> LocalRound.start(shards, member, id, answer));
    }

    /** Reads all leaves, including tombstones, the winner first ({@code open_revs=all}). */
    public void leaves(String id, Consumer<List<Doc>> answer) {
        member.perform(0, () -> LeavesRound.start(shards, member, id, LeavesRound.Way.ONE, answer));
    }

    /** Reads all leaves of many documents, like {@link #leaves}. The answer has the order of the ids. */
    public void leavesOfAll(List<String> ids, Consumer<List<List<Doc>>> answer) {
        member.perform(0, () -> {
            List<List<Doc>> found = new ArrayList<>(Collections.nCopies(ids.size(), List.of()));
            int[] missing = {ids.size()};
            for (int i = 0; i < ids.size(); i++) {
                int at = i;
                LeavesRound.start(shards, member, ids.get(i), LeavesRound.Way.OF_MANY, leaves -> {
                    found.set(at, leaves);
                    missing[0]--;
                    if (missing[0] == 0) {
                        answer.accept(found);
                    }
                });
            }
            if (ids.isEmpty()) {
                answer.accept(found);
            }
        });
    }

    /**
     * Follows the changes of the database.
     *
     * @param since a position from a row of any node, or {@code 0} for the beginning
     */
    public ClusterFeed follow(String since, FeedListener listener) {
        return ClusterFeed.start(shards, member, PackedSeq.parse(since), listener);
    }

    /** Reads the changes after a position from one copy per range. */
    public void changes(String since, Consumer<FeedPage> answer) {
        PackedSeq start = PackedSeq.parse(since);
        member.perform(0, () -> changes(start, answer));
    }

    /** Reads again when a copy is lost. The lost copy is not asked again, because its connection is known to be down. */
    private void changes(PackedSeq since, Consumer<FeedPage> answer) {
        List<FeedRow> rows = new ArrayList<>();
        FeedRound.start(shards, member, since, rows::add, end -> {
            if (end.isPresent()) {
                answer.accept(new FeedPage(rows, end.get().text()));
            } else {
                changes(since, answer);
            }
        });
    }

    /** Reads the position after all changes in the copies that this node reads. */
    public void position(Consumer<String> answer) {
        member.perform(0, () -> answer.accept(shards.newest(member).text()));
    }

    /** Reads the names of the nodes that this node is connected with, including itself. */
    public void connected(Consumer<List<String>> answer) {
        member.perform(
                0,
                () -> answer.accept(shards.network().connected(member).stream()
                        .map(Member::name)
                        .toList()));
    }

    /** Reads the names of the nodes that have a copy of each range, whether they are connected or not. */
    public void holders(Consumer<Map<String, List<String>>> answer) {
        Map<String, List<String>> holders = new LinkedHashMap<>();
        for (int range = 0; range < ranges(); range++) {
            List<String> names = shards.ofRange(range).stream()
                    .map(copy -> copy.member().name())
                    .toList();
            holders.put(shards.ranges().name(range), names);
        }
        member.perform(0, () -> answer.accept(holders));
    }

    /** {@return the number of copies of each document} */
    public int copies() {
        return shards.ofRange(0).size();
    }

    /** {@return the number of ranges} */
    public int ranges() {
        return shards.ranges().count();
    }

    /** {@return the number of copies that must store a write for a 201, and that must agree for a read} */
    public int majority() {
        return shards.majority();
    }

    /** Answers at once, unless the node is frozen or dead. */
    public void ping(Consumer<Boolean> answer) {
        member.perform(0, () -> answer.accept(true));
    }

    Member member() {
        return member;
    }

    /** {@return the winner in this node's own copy, which views and feeds show} */
    public Optional<Doc> own(String id) {
        return shards.of(id).stream()
                .filter(copy -> copy.member() == member)
                .findFirst()
                .flatMap(copy -> copy.database().winner(id));
    }
}
