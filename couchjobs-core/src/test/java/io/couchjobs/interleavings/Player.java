package io.couchjobs.interleavings;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.worker.SteppedMonitor;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.CancelResult;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.DuplicateJobException;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRefusedException;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.testing.Held;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Somebody who works on a job through a queue and a gate of his own, and whose calls are recorded. */
final class Player implements AutoCloseable {
    final String name;
    final Gate gate = new Gate();
    private final Proxy proxy;
    private final JobQueue queue;
    private volatile History history = new History();
    private volatile JobId id = new JobId("none", "1");
    private volatile @Nullable Call current;

    Player(String name, TestDatabase database) throws InterruptedException {
        this.name = name;
        this.proxy = Proxy.before(database.server());
        proxy.deafenFeeds();
        proxy.detour(gate);
        this.queue = TestQueue.open(proxy.door(database));
        Held scan = proxy.holdRequest(Gate::asksWhatIsOwned);
        queue.accept(AcceptOptions.of("none").timeout(Duration.ZERO));
        // With the first claim a monitor begins, which asks in the background.
        scan.awaitArrival();
        scan.releaseAndAwaitAnswer();
    }

    /** Plays another game. */
    void sitDown(JobId job, History record) {
        this.id = job;
        this.history = record;
        this.current = null;
    }

    Call current() {
        Call call = current;
        if (call == null) {
            throw new AssertionError(name + " sent a request without a call");
        }
        return call;
    }

    JobId id() {
        return id;
    }

    JobQueue queue() {
        return queue;
    }

    Optional<Job> read() {
        return make(Verb.READ, null, null, () -> queue.get(id.type(), id.id()));
    }

    void add(Instant time) {
        this.<@Nullable AddResult>make(Verb.ADD, null, time, () -> queue.add(request(time)));
    }

    void insert(Instant time) {
        this.<@Nullable Job>make(Verb.INSERT, null, time, () -> queue.insert(request(time)));
    }

    void insertIfNew(Instant time) {
        this.<@Nullable Boolean>make(Verb.INSERT_IF_NEW, null, time, () -> queue.insertIfNew(request(time)));
    }

    void cancel(CancelMode mode) {
        this.<@Nullable CancelResult>make(Verb.CANCEL, null, null, () -> queue.cancel(id.type(), id.id(), mode));
    }

    void remove() {
        this.<@Nullable String>make(Verb.REMOVE, null, null, () -> {
            queue.remove(id.type(), id.id());
            return "removed";
        });
    }

    void retry() {
        change(Verb.RETRY, null, () -> queue.retryNow(id.type(), id.id()));
    }

    void reschedule(Instant time) {
        change(Verb.RESCHEDULE, time, () -> queue.reschedule(id.type(), id.id(), time));
    }

    void setPriority(int priority) {
        change(Verb.PRIORITIZE, null, () -> queue.setPriority(id.type(), id.id(), priority));
    }

    void resubmit(Instant time) {
        change(Verb.RESUBMIT, time, () -> queue.resubmit(id.type(), id.id(), time));
    }

    private void change(Verb verb, @Nullable Instant time, Callable<Job> change) {
        this.<@Nullable Job>make(verb, null, time, change);
    }

    /** As a client of another language does it: reads, adds a field that couchjobs does not know, writes; again if need be. */
    void putForeignField() {
        this.<String>make(Verb.FOREIGN_PUT, null, null, () -> {
            while (true) {
                Optional<ObjectNode> document = queue.database().get(id.docId());
                if (document.isEmpty()) {
                    return "absent";
                }
                document.get().put("foreign", "kept");
                if (queue.database().put(document.get()) instanceof WriteResult.Stored) {
                    return "put";
                }
            }
        });
    }

    /** Claims the job if it is due. */
    Optional<ClaimedJob> claim() {
        return claim(AcceptOptions.of(id.type()).timeout(Duration.ZERO));
    }

    /** Claims the job even if it is not yet due. */
    Optional<ClaimedJob> claimEarly() {
        return claim(AcceptOptions.of(id.type())
                .timeout(Duration.ZERO)
                .maxScheduledTime(Instant.ofEpochSecond(100_000_000_000L)));
    }

    private Optional<ClaimedJob> claim(AcceptOptions options) {
        List<ClaimedJob> claims = make(Verb.CLAIM, null, null, () -> queue.accept(options));
        return claims.stream().findFirst();
    }

    void start(ClaimedJob claim) {
        own(Verb.START, claim, claim::start);
    }

    void update(ClaimedJob claim) {
        own(Verb.UPDATE, claim, () -> claim.update(Map.of("updated", true)));
    }

    void finish(ClaimedJob claim) {
        own(Verb.FINISH, claim, () -> claim.finish("done"));
    }

    void fail(ClaimedJob claim) {
        own(Verb.FAIL, claim, () -> claim.fail(JobError.Kind.FAILED, "boom", null, false));
    }

    void release(ClaimedJob claim) {
        own(Verb.RELEASE, claim, claim::release);
    }

    void acknowledgeCancel(ClaimedJob claim) {
        own(Verb.ACKNOWLEDGE_CANCEL, claim, () -> claim.acknowledgeCancel("asked to"));
    }

    void resubmitOwn(ClaimedJob claim, Instant time) {
        own(Verb.RESUBMIT_OWN, claim, () -> claim.resubmit(time));
    }

    private void own(Verb verb, ClaimedJob claim, Callable<Job> action) {
        this.<@Nullable Job>make(verb, claim.token(), null, action);
    }

    /** A whole life of a monitor: sees who owns the job, waits longer than the timeout, and judges. */
    void expire() {
        this.<Long>make(Verb.EXPIRE, null, null, () -> {
            gate.monitors(true);
            try (SteppedMonitor monitor = new SteppedMonitor(queue)) {
                monitor.look();
                monitor.outlastTheTimeout();
                monitor.look();
                return monitor.recovered();
            } finally {
                gate.monitors(false);
            }
        });
    }

    /** Records a call. Exceptions that are answers of the verb are recorded as such, and null is returned. */
    <T extends @Nullable Object> T make(Verb verb, @Nullable String token, @Nullable Instant time, Callable<T> action) {
        Call call = new Call(name, verb, token, time);
        current = call;
        history.add(call);
        try {
            T answer = action.call();
            call.answer = answer;
            return answer;
        } catch (HaltException | NotFoundException | JobRefusedException | DuplicateJobException answer) {
            call.answer = answer;
            return null;
        } catch (Exception trouble) {
            throw new AssertionError(call + " failed", trouble);
        }
    }

    private JobRequest request(Instant time) {
        return JobRequest.builder(id.type())
                .id(id.id())
                .data(Map.of("time", time.toEpochMilli()))
                .scheduledTime(time)
                .build();
    }

    @Override
    public void close() {
        gate.open();
        queue.close();
        proxy.close();
    }
}
