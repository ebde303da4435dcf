package io.couchjobs.engine.worker;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/** The view of a chunk's run that the handler of one item, or of several, has. */
final class ItemContext extends RunContext {
    private final ItemTimeLimit timeLimit;
    private final OptionalLong item;
    private final int attempt;

    ItemContext(RunContext chunk, ItemTimeLimit timeLimit, OptionalLong item, int attempt) {
        super(chunk);
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
    public Optional<StopReason> stopReason() {
        return super.stopReason().or(timeLimit::stopReason);
    }

    /** The progress of an array is that of its items. */
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
}
