package io.couchjobs.engine.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Rev;
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
    private final Map<String, List<String>> histories = new TreeMap<>();
    private final Set<String> parents = new HashSet<>();

    /** With the history that it says it has. */
    void graft(ObjectNode leaf) {
        ObjectNode document = leaf.deepCopy();
        JsonNode history = document.remove("_revisions");
        String rev = document.path("_rev").asText();
        revisions.put(rev, document);
        List<String> hashes = new ArrayList<>();
        if (history == null) {
            hashes.add(hash(rev));
        } else {
            history.path("ids").forEach(hash -> hashes.add(hash.asText()));
        }
        histories.put(rev, List.copyOf(hashes));
    }

    List<ObjectNode> leaves() {
        List<ObjectNode> leaves = new ArrayList<>();
        revisions.forEach((rev, document) -> {
            if (!parents.contains(rev)) {
                ObjectNode leaf = document.deepCopy();
                ObjectNode history = leaf.putObject("_revisions").put("start", Rev.generation(rev));
                histories.get(rev).forEach(history.withArray("ids")::add);
                leaves.add(leaf);
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
        String rev = (Rev.generation(parent) + 1) + "-" + hash;
        ObjectNode stored = document.deepCopy();
        stored.put("_rev", rev);
        revisions.put(rev, stored);
        parents.add(parent);
        List<String> history = new ArrayList<>(List.of(hash));
        history.addAll(histories.get(parent));
        histories.put(rev, List.copyOf(history));
        return rev;
    }

    /** What internal replication does. */
    void take(LeafTree other) {
        revisions.putAll(other.revisions);
        histories.putAll(other.histories);
        parents.addAll(other.parents);
    }

    LeafTree copy() {
        LeafTree copy = new LeafTree();
        copy.take(this);
        return copy;
    }

    private static String hash(String rev) {
        return rev.substring(rev.indexOf('-') + 1);
    }
}
