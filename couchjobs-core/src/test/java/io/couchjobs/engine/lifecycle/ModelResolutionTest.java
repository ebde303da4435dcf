package io.couchjobs.engine.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.testing.Jobs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The model of the protocol, which a checker searches, resolves conflicts as the classes do: for all sets of up to three small leaves. */
class ModelResolutionTest {
    private static final Path TABLES = Path.of("../formal");

    @Test
    void the_model_resolves_all_small_sets_of_leaves_as_the_classes_do() throws IOException {
        assertThat(lines(ModelLeaf.all())).isEqualTo(Files.readAllLines(TABLES.resolve("resolution.tsv")));
    }

    @Test
    void the_model_resolves_small_sets_of_leaves_with_requests_to_cancel_as_the_classes_do() throws IOException {
        assertThat(lines(ModelLeaf.ofCancellations()))
                .isEqualTo(Files.readAllLines(TABLES.resolve("cancellations.tsv")));
    }

    /** The model knows no leaf without a fence. */
    @Test
    void a_job_that_was_never_claimed_counts_as_one_whose_fence_follows_from_its_revision() {
        for (int fence = 1; fence <= 4; fence++) {
            ObjectNode fenced = added(fence);
            ObjectNode plain = fenced.deepCopy().without("fence");
            for (ModelLeaf one : ModelLeaf.ofCancellations()) {
                for (ModelLeaf other : ModelLeaf.ofCancellations()) {
                    List<ObjectNode> others = List.of(one.document(1), other.document(2));
                    for (ObjectNode confirmed : List.of(fenced, others.get(0), others.get(1))) {
                        Optional<String> rev = Optional.of(rev(confirmed));
                        assertThat(outcome(List.of(others.get(0), others.get(1), plain), rev))
                                .as("beside %s and %s", one, other)
                                .isEqualTo(outcome(List.of(others.get(0), others.get(1), fenced), rev));
                    }
                }
            }
        }
    }

    /** A job that waits, on the revision from which that fence would follow. */
    private static ObjectNode added(int fence) {
        ObjectNode document = new ModelLeaf(Leaf.Kind.PENDING, fence, 0, false, false, false, false).document(3);
        document.put("_rev", (fence + 1) + "-added");
        document.remove("_revisions");
        return document;
    }

    private static List<String> lines(List<ModelLeaf> all) {
        List<String> lines = new ArrayList<>();
        for (int a = -1; a < all.size(); a++) {
            for (int b = a; b < all.size(); b++) {
                for (int c = Math.max(0, b); c < all.size(); c++) {
                    lines.add(line(IntStream.of(a, b, c)
                            .filter(place -> place >= 0)
                            .mapToObj(all::get)
                            .toList()));
                }
            }
        }
        return lines;
    }

    /** The leaves, what is written when nothing was confirmed, and when the best one was. */
    private static String line(List<ModelLeaf> leaves) {
        List<ObjectNode> documents = new ArrayList<>();
        for (ModelLeaf leaf : leaves) {
            documents.add(leaf.document(documents.size() + 1));
        }
        String unconfirmed = outcome(documents, Optional.empty());
        Set<String> confirmed = documents.stream()
                .map(document -> outcome(documents, Optional.of(rev(document))))
                .filter(outcome -> !outcome.equals(unconfirmed))
                .collect(Collectors.toSet());
        assertThat(confirmed).as("only the confirmation of the best counts").hasSizeLessThan(2);
        return String.join(
                "\t",
                leaves.stream().map(ModelLeaf::toString).collect(Collectors.joining(", ")),
                unconfirmed,
                confirmed.stream().findFirst().orElse(unconfirmed));
    }

    private static String outcome(List<ObjectNode> documents, Optional<String> confirmed) {
        Resolution resolution = Resolution.of(documents, confirmed, Jobs.NOW);
        return switch (resolution.verdict()) {
            case SETTLED -> "settled";
            case UNDECIDED -> "undecided";
            case CONFIRM -> {
                ObjectNode winner = resolution.winner().orElseThrow().toDocument();
                yield "write on " + number(rev(winner), documents) + ": " + ModelLeaf.of(winner);
            }
            case DELETE ->
                "delete"
                        + resolution.tombstones().stream()
                                .map(tombstone -> number(rev(tombstone), documents))
                                .sorted()
                                .map(number -> " " + number)
                                .collect(Collectors.joining())
                        + resolution.tombstones().stream()
                                .filter(tombstone -> !Leaf.of(tombstone).isResolved())
                                .map(tombstone -> ": " + ModelLeaf.of(tombstone))
                                .distinct()
                                .collect(Collectors.joining());
        };
    }

    private static int number(String rev, List<ObjectNode> documents) {
        return documents.stream().map(ModelResolutionTest::rev).toList().indexOf(rev) + 1;
    }

    private static String rev(ObjectNode document) {
        return document.path("_rev").asText();
    }
}
