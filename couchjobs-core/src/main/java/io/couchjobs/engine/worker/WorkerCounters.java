package io.couchjobs.engine.worker;

import io.couchjobs.engine.claim.Finder;
import io.couchjobs.worker.RunReport;
import io.couchjobs.worker.Worker;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counts the claims of a worker, and the ends of its runs. Thread-safe. */
final class WorkerCounters {
    private final LongAdder claimed = new LongAdder();
    private final Map<RunReport.Outcome, LongAdder> ended = new EnumMap<>(RunReport.Outcome.class);

    WorkerCounters() {
        for (RunReport.Outcome outcome : RunReport.Outcome.values()) {
            ended.put(outcome, new LongAdder());
        }
    }

    void claimed() {
        claimed.increment();
    }

    long claims() {
        return claimed.sum();
    }

    void ended(RunReport.Outcome outcome) {
        counter(outcome).increment();
    }

    Worker.Stats stats(Finder finder, long recovered, int running) {
        return new Worker.Stats(
                claimed.sum(),
                count(RunReport.Outcome.SUCCEEDED),
                count(RunReport.Outcome.RETRIED),
                count(RunReport.Outcome.FAILED),
                count(RunReport.Outcome.CANCELLED),
                count(RunReport.Outcome.RELEASED),
                count(RunReport.Outcome.HALTED),
                finder.conflicts(),
                recovered,
                running,
                finder.admission().skipped(),
                finder.admission().failures());
    }

    private long count(RunReport.Outcome outcome) {
        return counter(outcome).sum();
    }

    private LongAdder counter(RunReport.Outcome outcome) {
        return Objects.requireNonNull(ended.get(outcome));
    }
}
