package io.couchjobs.engine.worker;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.job.FencedDocuments;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Progress;
import io.couchjobs.worker.JobContext;
import java.time.Instant;
import java.util.Optional;

/** The context that a run gives to its handler. */
final class RunContext implements JobContext {
    private final LeasedJob claim;
    private final Run run;

    RunContext(LeasedJob claim, Run run) {
        this.claim = claim;
        this.run = run;
    }

    @Override
    public JobId id() {
        return claim.id();
    }

    @Override
    public Job job() {
        return claim.job();
    }

    @Override
    public int attempt() {
        return claim.job().attempt();
    }

    @Override
    public boolean isLastRetry() {
        return claim.isLastRetry();
    }

    @Override
    public String token() {
        return claim.token();
    }

    @Override
    public long fence() {
        return claim.fence();
    }

    @Override
    public FencedDocuments fenced(CouchDatabase database) {
        return claim.fenced(database);
    }

    @Override
    public Optional<JobContext.StopReason> stopReason() {
        return run.stopReason();
    }

    @Override
    public void progress(int percent, String message) {
        Progress progress = new Progress(percent, message);
        run.tell(() -> progress);
    }

    @Override
    public void update(Object data) {
        claim.update(data);
        run.heed();
    }

    @Override
    public void resubmit(Instant time) {
        claim.resubmit(time);
    }

    @Override
    public boolean isLeaseOver() {
        boolean over = claim.isLeaseOver(); // asked first: a renewal that came too late does not restore a lease
        return over || run.isHalted();
    }

    @Override
    public void assertOwned() {
        claim.assertOwned();
        run.heed();
    }

    @Override
    public void log(String line) {
        run.log(line);
    }
}
