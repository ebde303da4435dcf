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

/** A node as its clients see it. Answers come later, on the agenda, and never when the node dies first. */
public final class Coordinator {
    private final Shards shards;
    private final Member member;

    Coordinator(Shards shards, Member member) {
        this.shards = shards;
        this.member = member;
    }

    /** Writes with the default quorum, a majority of the copies. */
    public void write(List<Edit> edits, Consumer<WriteAnswer> answer) {
        write(edits, shards.majority(), answer);
    }

    /**
     * Writes.
     *
     * @param quorum how many copies have to take a document for a 201 ({@code w})
     */
    public void write(List<Edit> edits, int quorum, Consumer<WriteAnswer> answer) {
        start(new WriteRound.Write(edits, false, quorum), answer);
    }

    /** Writes revisions as they are ({@code new_edits=false}). */
    public void replicate(List<Edit> edits, Consumer<WriteAnswer> answer) {
        start(new WriteRound.Write(edits, true, shards.majority()), answer);
    }

    private void start(WriteRound.Write write, Consumer<WriteAnswer> answer) {
        member.perform(0, () -> WriteRound.start(shards, member, write, answer));
    }

    /** Reads the winner of the default number of copies, a majority; a deleted one too. */
    public void read(String id, Consumer<Optional<Doc>> answer) {
        member.perform(0, () -> ReadRound.start(shards, member, id, answer));
    }

    /** Reads a local document, of the default number of copies. */
    public void local(String id, Consumer<Optional<ObjectNode>> answer) {
        member.perform(0, () -> LocalRound.start(shards, member, id, answer));
    }

    /** Reads all leaves, the winner first, tombstones included ({@code open_revs=all}). */
    public void leaves(String id, Consumer<List<Doc>> answer) {
        member.perform(0, () -> LeavesRound.start(shards, member, id, LeavesRound.Way.ONE, answer));
    }

    /** Reads all leaves of many documents, as {@link #leaves} does those of one; in the order of the ids. */
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

    /** Reads what changed after a position, of one copy per range. */
    public void changes(String since, Consumer<FeedPage> answer) {
        PackedSeq start = PackedSeq.parse(since);
        member.perform(0, () -> changes(start, answer));
    }

    /** A copy that is lost on the way is not asked a second time, because its connection is known to be down. */
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

    /** Says where a feed stands that has read all that this node's own copies have. */
    public void position(Consumer<String> answer) {
        member.perform(0, () -> answer.accept(shards.newest(member).text()));
    }

    /** Says which nodes this one is connected with, itself among them. */
    public void connected(Consumer<List<String>> answer) {
        member.perform(
                0,
                () -> answer.accept(shards.network().connected(member).stream()
                        .map(Member::name)
                        .toList()));
    }

    /** Says which nodes have a copy of each range, whether they are there or not. */
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

    /** {@return how many copies each document has} */
    public int copies() {
        return shards.ofRange(0).size();
    }

    /** {@return how many ranges the documents are spread over} */
    public int ranges() {
        return shards.ranges().count();
    }

    /** {@return how many copies have to take a write for a 201, and to agree on what is read} */
    public int majority() {
        return shards.majority();
    }

    /** Answers at once; a frozen node does not, and a dead one cannot. */
    public void ping(Consumer<Boolean> answer) {
        member.perform(0, () -> answer.accept(true));
    }

    Member member() {
        return member;
    }

    /** {@return the winner that this node's own copy has, as views and feeds show it} */
    public Optional<Doc> own(String id) {
        return shards.of(id).stream()
                .filter(copy -> copy.member() == member)
                .findFirst()
                .flatMap(copy -> copy.database().winner(id));
    }
}
