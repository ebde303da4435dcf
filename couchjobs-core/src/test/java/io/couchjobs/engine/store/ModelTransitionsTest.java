package io.couchjobs.engine.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.lifecycle.ClusterTransitions;
import io.couchjobs.engine.lifecycle.Decision;
import io.couchjobs.engine.lifecycle.EndAs;
import io.couchjobs.engine.lifecycle.ModelLeaf;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.Stores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The model of the protocol, which a checker searches, writes on each small leaf what the classes write. Where the model does
 * nothing, the classes refuse, or what they write is the same leaf to the model, which knows no times and no reasons. Two
 * cases are left out: a claim that was withdrawn has no owner and is resolved before anything else is written on it, but for a
 * removal; and creators of the model do not change a job that waits.
 */
class ModelTransitionsTest {
    private static final Path TABLE = Path.of("../formal/transitions.tsv");
    private static final JobRequest AGAIN =
            JobRequest.builder("email").id("42").data(Map.of()).build();

    @Test
    void the_model_writes_on_each_small_leaf_what_the_classes_write() throws IOException {
        List<String> lines =
                ModelLeaf.allOfBoth().stream().map(ModelTransitionsTest::line).toList();
        assertThat(lines).isEqualTo(Files.readAllLines(TABLE));
    }

    /**
     * The leaf, and what a claim, a withdrawal, an end, an expiry, retention, a wish for a run, a removal, the end of an owner that stops as it
     * was asked to, a cancellation and a request to cancel write on it.
     */
    private static String line(ModelLeaf leaf) {
        ObjectNode document = leaf.document(1);
        return Stream.of(
                        written(leaf, job -> Transitions.claim(job, "t3", "worker", true, Jobs.NOW)),
                        written(leaf, job -> ClusterTransitions.withdraw(job, "no quorum", Jobs.NOW)),
                        written(leaf, ModelTransitionsTest::ended),
                        written(leaf, job -> ClusterTransitions.expire(job, OptionalInt.empty(), Jobs.NOW)),
                        live(document)
                                .filter(job -> job.phase() == JobPhase.FINISHED)
                                .map(job -> ModelLeaf.of(JobTombstone.ofRetired(Stores.row(job)))),
                        added(leaf),
                        live(document).map(job -> ModelLeaf.of(JobTombstone.ofRemoved(document))),
                        leaf.toCancel() || leaf.toEnd()
                                ? written(leaf, ModelTransitionsTest::stopped)
                                : Optional.<ModelLeaf>empty(),
                        written(leaf, job -> Transitions.cancel(job, null, Jobs.NOW)),
                        written(leaf, job -> Transitions.requestCancel(job, null, Jobs.NOW)))
                .map(written -> written.map(ModelLeaf::toString).orElse("-"))
                .collect(Collectors.joining("\t", leaf + "\t", ""));
    }

    /** As claims end: one that was made only for that cancels the job. */
    private static Decision ended(Job job) {
        return EndAs.of(job).isPresent() ? stopped(job) : Transitions.finish(job, null, null, Jobs.NOW);
    }

    private static Decision stopped(Job job) {
        return Transitions.acknowledgeCancel(job, "stopped", Jobs.NOW);
    }

    private static Optional<ModelLeaf> added(ModelLeaf leaf) {
        return leaf.waits() ? Optional.empty() : written(leaf, job -> Transitions.add(job, AGAIN, false, Jobs.NOW));
    }

    private static Optional<ModelLeaf> written(ModelLeaf leaf, Function<Job, Decision> rule) {
        return live(leaf.document(1))
                .filter(job -> !job.isWithdrawn())
                .flatMap(job -> rule.apply(job).write())
                .map(next -> ModelLeaf.of(next.toDocument()))
                .filter(next -> !next.equals(leaf));
    }

    private static Optional<Job> live(ObjectNode document) {
        return document.has("_deleted") ? Optional.empty() : Optional.of(Job.parse(document));
    }
}
