package io.couchjobs.embedded.store;

import io.couchjobs.embedded.tree.Node;
import io.couchjobs.embedded.tree.RevTree;
import io.couchjobs.embedded.tree.Revision;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.WriteBuffer;
import org.h2.mvstore.type.BasicDataType;
import org.h2.mvstore.type.StringDataType;

/** The storage format of a {@link DocRecord}: its nodes, each with the position of its parent. */
final class DocRecordType extends BasicDataType<DocRecord> {
    static final DocRecordType INSTANCE = new DocRecordType();
    private static final int NODE_MEMORY = 160;

    private DocRecordType() {}

    @Override
    public int getMemory(DocRecord doc) {
        return NODE_MEMORY + NODE_MEMORY * doc.tree().nodes().size();
    }

    @Override
    public void write(WriteBuffer buffer, DocRecord doc) {
        Map<Revision, Integer> positions = new HashMap<>();
        doc.tree().nodes().forEach(node -> positions.put(node.rev(), positions.size() + 1));
        buffer.putVarLong(doc.seq()).putVarInt(positions.size());
        for (Node node : doc.tree().nodes()) {
            buffer.putVarInt(node.rev().pos());
            StringDataType.INSTANCE.write(buffer, node.rev().hash());
            buffer.putVarInt(node.parent() == null ? 0 : positions.getOrDefault(node.parent(), 0));
            buffer.put((byte) (node.deleted() ? 1 : 0)).putVarLong(node.body());
        }
    }

    @Override
    public DocRecord read(ByteBuffer buffer) {
        long seq = DataUtils.readVarLong(buffer);
        int size = DataUtils.readVarInt(buffer);
        if (size < 0 || size > buffer.remaining()) {
            throw new IllegalStateException("a damaged file: a document with " + size + " revisions");
        }
        List<Node> nodes = new ArrayList<>(size);
        int[] parents = new int[size];
        for (int i = 0; i < size; i++) {
            Revision rev = new Revision(DataUtils.readVarInt(buffer), StringDataType.INSTANCE.read(buffer));
            parents[i] = DataUtils.readVarInt(buffer);
            nodes.add(new Node(rev, null, buffer.get() == 1, DataUtils.readVarLong(buffer)));
        }
        return new DocRecord(seq, RevTree.of(linked(nodes, parents)));
    }

    private static List<Node> linked(List<Node> nodes, int[] parents) {
        List<Node> linked = new ArrayList<>(nodes.size());
        for (int i = 0; i < parents.length; i++) {
            Node node = nodes.get(i);
            Revision parent = parents[i] == 0 ? null : nodes.get(parents[i] - 1).rev();
            linked.add(new Node(node.rev(), parent, node.deleted(), node.body()));
        }
        return linked;
    }

    @Override
    public DocRecord[] createStorage(int size) {
        return new DocRecord[size];
    }
}
