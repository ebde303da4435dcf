package io.couchjobs.embedded.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Doc;
import io.couchjobs.embedded.store.Edit;
import io.couchjobs.embedded.store.Gate;
import io.couchjobs.embedded.tree.Node;
import io.couchjobs.embedded.tree.Revision;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes and reads one document and waits for the answers as time passes. */
final class Client {
    static final String ID = "job";

    private final VirtualTime time;
    private final Cluster cluster;

    Client(VirtualTime time, Cluster cluster) {
        this.time = time;
        this.cluster = cluster;
    }

    static Edit edit(@Nullable Revision base, String what) {
        return new Edit(
                ID,
                base == null ? List.of() : List.of(base),
                false,
                Json.object().put("what", what));
    }

    CompletableFuture<WriteRow> send(int node, @Nullable Revision base, String what) {
        CompletableFuture<WriteRow> row = new CompletableFuture<>();
        send(node, base, what, row::complete);
        return row;
    }

    void send(int node, @Nullable Revision base, String what, Consumer<WriteRow> answered) {
        cluster.node(node)
                .write(
                        List.of(edit(base, what)),
                        answer -> answered.accept(answer.rows().get(0)));
    }

    WriteRow write(int node, @Nullable Revision base, String what) {
        return await(send(node, base, what));
    }

    /** {@return the new revision of a write that is expected to get a status} */
    Revision written(int status, int node, @Nullable Revision base, String what) {
        WriteRow row = write(node, base, what);
        if (row.status() != status || row.rev() == null) {
            throw new AssertionError("expected " + status + " and got " + row);
        }
        return row.rev();
    }

    Optional<Doc> read(int node) {
        CompletableFuture<Optional<Doc>> doc = new CompletableFuture<>();
        cluster.node(node).read(ID, doc::complete);
        return await(doc);
    }

    /** {@return all leaves, as a node reads them, the winner first} */
    List<Revision> allLeaves(int node) {
        CompletableFuture<List<Doc>> leaves = new CompletableFuture<>();
        cluster.node(node).leaves(ID, leaves::complete);
        return revs(await(leaves));
    }

    /** {@return the same, read as one of many documents} */
    List<Revision> leavesOfMany(int node) {
        CompletableFuture<List<List<Doc>>> leaves = new CompletableFuture<>();
        cluster.node(node).leavesOfAll(List.of(ID), leaves::complete);
        return revs(await(leaves).get(0));
    }

    private static List<Revision> revs(List<Doc> leaves) {
        return leaves.stream().map(Doc::rev).toList();
    }

    /** Stores a revision at one copy, with as much of its history as is given; the other copies do not hear of it. */
    void give(int node, List<Revision> path, String what) {
        Edit edit = new Edit(ID, path, false, Json.object().put("what", what));
        assertThat(own(node).replicate(List.of(edit), Gate.OPEN)).allMatch(result -> result.error() == null);
    }

    /** Takes a document away from one copy, as if it had never been there. */
    void forget(int node) {
        own(node).purge(ID, leaves(node));
    }

    private Database own(int node) {
        return cluster.copyFor(node, Cluster.DATABASE);
    }

    <T> T await(CompletableFuture<T> answer) {
        time.until(answer::isDone);
        return answer.join();
    }

    /** {@return the leaves that a node's own copy has, the winner first} */
    List<Revision> leaves(int node) {
        return cluster.node(node)
                .own(ID)
                .map(doc -> doc.tree().leaves().stream().map(Node::rev).toList())
                .orElse(List.of());
    }
}
