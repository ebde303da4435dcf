package io.couchjobs.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/** One copy of a document's revisions, as CouchDB keeps them: the same content on the same parent is the same revision. */
final class LeafTree {
    private final Map<String, ObjectNode> revisions = new TreeMap<>();
    private final Set<String> parents = new HashSet<>();

    void graft(ObjectNode leaf) {
        revisions.put(leaf.path("_rev").asText(), leaf);
    }

    List<ObjectNode> leaves() {
        List<ObjectNode> leaves = new ArrayList<>();
        revisions.forEach((rev, document) -> {
            if (!parents.contains(rev)) {
                leaves.add(document.deepCopy());
            }
        });
        return leaves;
    }

    /** The new revision; empty when the parent is no leaf (any more). */
    String write(ObjectNode document) {
        String parent = document.path("_rev").asText();
        if (parents.contains(parent) || !revisions.containsKey(parent)) {
            return "";
        }
        String hash = UUID.nameUUIDFromBytes(document.toString().getBytes(StandardCharsets.UTF_8))
                .toString()
                .replace("-", "");
        String rev = (Job.generation(parent) + 1) + "-" + hash;
        ObjectNode stored = document.deepCopy();
        stored.put("_rev", rev);
        revisions.put(rev, stored);
        parents.add(parent);
        return rev;
    }

    /** What internal replication does. */
    void take(LeafTree other) {
        revisions.putAll(other.revisions);
        parents.addAll(other.parents);
    }

    LeafTree copy() {
        LeafTree copy = new LeafTree();
        copy.take(this);
        return copy;
    }
}
