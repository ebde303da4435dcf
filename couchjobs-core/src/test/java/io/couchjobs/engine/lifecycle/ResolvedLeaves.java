package io.couchjobs.engine.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.job.Job;
import io.couchjobs.testing.Jobs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Leaves of one document, and what becomes of them. */
abstract class ResolvedLeaves {
    static final String WAITING = "'status':'waiting'";

    static final String ENDED = "'status':'success','attempt':1,'fence':1";

    static final String GONE = "'_deleted':true";

    /** A leaf with its history, the newest revision first. */
    static ObjectNode branch(String fields, String... hashes) {
        ObjectNode leaf = leaf(hashes.length + "-" + hashes[0], fields);
        ObjectNode revisions = leaf.putObject("_revisions").put("start", hashes.length);
        List.of(hashes).forEach(revisions.putArray("ids")::add);
        return leaf;
    }

    static Resolution resolve(ObjectNode... leaves) {
        return Resolution.of(Arrays.asList(leaves), Optional.empty(), Jobs.NOW);
    }

    static List<String> lost(Resolution resolution) {
        return resolution.tombstones().stream()
                .map(tombstone -> tombstone.path("_rev").asText())
                .toList();
    }

    /** Resolves with a majority that confirms everything, up to the tombstones of the losers. */
    static Settled settle(ObjectNode... leaves) {
        List<ObjectNode> present = new ArrayList<>(Arrays.asList(leaves));
        Optional<String> confirmed = Optional.empty();
        Job winner = null;
        for (int i = 1; i < 10; i++) {
            Resolution resolution = Resolution.of(present, confirmed, Jobs.NOW);
            if (resolution.verdict() != Resolution.Verdict.CONFIRM) {
                assertThat(resolution.verdict()).isNotEqualTo(Resolution.Verdict.UNDECIDED);
                return new Settled(winner, lost(resolution), resolution.tombstones());
            }
            winner = resolution.winner().orElseThrow();
            String before = winner.rev().orElseThrow();
            String hash = "k" + i;
            ObjectNode written =
                    winner.withRev((Rev.generation(before) + 1) + "-" + hash).toDocument();
            present.stream()
                    .filter(leaf -> leaf.path("_rev").asText().equals(before) && leaf.has("_revisions"))
                    .findFirst()
                    .ifPresent(leaf -> written.set("_revisions", grown(leaf.path("_revisions"), hash)));
            present.removeIf(leaf -> leaf.path("_rev").asText().equals(before));
            present.add(written);
            confirmed = Optional.of(written.path("_rev").asText());
        }
        throw new AssertionError("no end");
    }

    static ObjectNode grown(JsonNode revisions, String hash) {
        ObjectNode grown = revisions.deepCopy();
        grown.put("start", revisions.path("start").asInt() + 1);
        grown.withArray("ids").insert(0, hash);
        return grown;
    }

    record Settled(Job winner, List<String> lost, List<ObjectNode> tombstones) {}

    static String waiting(int fence) {
        return "'status':'waiting','fence':" + fence;
    }

    static ObjectNode leaf(String rev, String fields) {
        return Jobs.json("{'_id':'job:email:42','_rev':'" + rev + "'," + fields + "}");
    }

    static String owned(String token, int fence) {
        return "'status':'running','attempt':1,'fence':" + fence + ",'lock':{'token':'" + token + "','worker':'w-"
                + token + "'}";
    }

    static String withdrawn(String token, int fence, String reason) {
        return owned(token, fence).replace("'}", "','withdrawn':{'at':5,'reason':'" + reason + "'}}");
    }
}
