package io.couchjobs.simulation;

import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.claim.Note;
import io.couchjobs.engine.lifecycle.ItemStates;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Progress;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Runs the items of a chunk of an array, for the owner of a claim: most of them succeed. */
final class ChunkActor implements Note {
    private final LeasedJob claim;
    private final ItemStates states;
    private final Random random;
    private boolean isRetried;

    private ChunkActor(LeasedJob claim, ItemStates states, Random random) {
        this.claim = claim;
        this.states = states;
        this.random = random;
        states.begin(claim.job());
    }

    /** Empty when the job is no chunk. */
    static Optional<ChunkActor> of(LeasedJob claim, Random random) {
        return ItemStates.of(claim.job()).map(states -> new ChunkActor(claim, states, random));
    }

    /** The items of a chunk that have ended, and how. */
    static Map<Integer, JobStatus> ended(ItemStates states) {
        Map<Integer, JobStatus> ended = new TreeMap<>();
        IntStream.range(0, states.size())
                .filter(item -> states.status(item).phase() == JobPhase.FINISHED)
                .forEach(item -> ended.put(item, states.status(item)));
        return ended;
    }

    /** How its items have ended so far. */
    Map<Integer, JobStatus> ended() {
        return ended(states);
    }

    /** Runs the first item from a place on that is to be run; empty when there is none. */
    Optional<Integer> runFrom(int place) {
        Optional<Integer> next = IntStream.range(place, states.size())
                .filter(states::isToRun)
                .boxed()
                .findFirst();
        next.ifPresent(this::runItem);
        return next;
    }

    private void runItem(int item) {
        int luck = random.nextInt(10);
        if (luck > 2) {
            states.succeeded(item, null);
        } else {
            boolean isFinal = luck == 0 || claim.isLastRetry();
            states.failed(item, "on purpose", isFinal);
            isRetried |= !isFinal;
        }
        claim.tell(this);
    }

    /** Whether all items have succeeded. */
    boolean hasSucceeded() {
        return states.succeeded() == states.size();
    }

    /** Stores that some items have failed. */
    Job fail() {
        return claim.fail(JobError.Kind.FAILED, "items failed", null, !isRetried);
    }

    @Override
    public Progress progress() {
        return new Progress(100 * states.ended() / states.size(), null);
    }

    @Override
    public Job on(Job job) {
        return states.on(job);
    }
}
