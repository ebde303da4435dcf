package io.couchjobs.engine.worker;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.job.FencedDocuments;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.worker.JobContext;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/** The context that a chunk's run gives to the handler of one item, or of several items. */
final class ItemContext implements JobContext {
    private final JobContext chunk;
    private final ItemTimeLimit timeLimit;
    private final OptionalLong item;
    private final int attempt;

    ItemContext(JobContext chunk, ItemTimeLimit timeLimit, OptionalLong item, int attempt) {
        this.chunk = chunk;
        this.timeLimit = timeLimit;
        this.item = item;
        this.attempt = attempt;
    }

    @Override
    public OptionalLong item() {
        return item;
    }

    @Override
    public int attempt() {
        return attempt;
    }

    @Override
    public JobId id() {
        return chunk.id();
    }

    @Override
    public Job job() {
        return chunk.job();
    }

    @Override
    public boolean isLastRetry() {
        return chunk.isLastRetry();
    }

    @Override
    public String token() {
        return chunk.token();
    }

    @Override
    public long fence() {
        return chunk.fence();
    }

    @Override
    public FencedDocuments fenced(CouchDatabase database) {
        return chunk.fenced(database);
    }

    @Override
    public Optional<StopReason> stopReason() {
        return chunk.stopReason().or(timeLimit::stopReason);
    }

    /** Does nothing: the progress of an array is that of its items. */
    @Override
    public void progress(int percent, String message) {}

    @Override
    public void update(Object data) {
        throw new IllegalStateException("the data of an array's item cannot be replaced");
    }

    @Override
    public void resubmit(Instant time) {
        throw new IllegalStateException("an array's item cannot ask for another run; it may throw a SnoozeException");
    }

    @Override
    public boolean isLeaseOver() {
        return chunk.isLeaseOver();
    }

    @Override
    public void assertOwned() {
        chunk.assertOwned();
    }

    @Override
    public void log(String line) {
        chunk.log(line);
    }
}
