package io.couchjobs.engine.create;

import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.lifecycle.ClusterTransitions;
import io.couchjobs.engine.lifecycle.Decision;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.CancelResult;
import io.couchjobs.job.ContentionException;
import io.couchjobs.job.DuplicateJobException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRefusedException;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.job.WriteRefusedException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The operations of creators and operators on jobs. Each operation reads the job, decides by its state, and writes on
 * the revision that it read. After a lost race it starts over, a bounded number of times. Thread-safe.
 *
 * <p>On a cluster, a write that no quorum confirmed may have met another write and lose. Then the conflict is resolved
 * first, and the race counts as lost when readers do not see the write afterwards. A change is done when a majority of
 * the copies is known to have it: a claim elsewhere would undo a change that only a minority has. A new job may be with
 * a minority for a while, because nobody changes it elsewhere.
 */
public final class Creator {
    private final JobStore store;
    private final InstantSource clock;
    private final Races races;

    /**
     * Creates the operations on the jobs of a store.
     *
     * @param clock the time of day
     */
    public Creator(JobStore store, InstantSource clock) {
        this.store = store;
        this.clock = clock;
        this.races = new Races(store, clock);
    }

    /**
     * Adds jobs; see {@link Transitions#add}. Writes each job as a new one without reading it first, and reads it only
     * when the write finds an existing job. A job that cannot be added does not stop the others. Several jobs with the
     * same identity are added one after the other.
     *
     * @param replace whether to replace the data of a pending job even if its time stays the same
     */
    public List<AddResult> add(List<JobRequest> requests, boolean replace) {
        return told(addTraced(listened(requests), replace));
    }

    /**
     * Adds one job as {@link #add} does. Throws a failure to store the job, because callers that add a single job
     * seldom look at its result.
     */
    public AddResult addOne(JobRequest request) {
        return end(begin(request));
    }

    /** A job whose first write is in flight. */
    record Begun(JobRequest request, Job created, CompletableFuture<WriteResult> write) {}

    /** Begins {@link #addOne}. Never waits. */
    Begun begin(JobRequest request) {
        JobRequest listened = store.listener().adding(request);
        Job created = created(listened);
        return new Begun(listened, created, store.writer().writeSoon(created));
    }

    /** Ends {@link #addOne}: waits for the answer, and handles a job that exists. */
    AddResult end(Begun begun) {
        WriteResult written = store.writer().join(begun.write);
        return told(List.of(stored(begun.request, begun.created, written, false)))
                .get(0);
    }

    private List<AddResult> addTraced(List<JobRequest> requests, boolean replace) {
        List<Job> created = requests.stream().map(this::created).toList();
        Set<JobId> seen = new HashSet<>();
        List<Job> distinct = created.stream().filter(job -> seen.add(job.id())).toList();
        List<WriteResult> written = store.writer().writeAll(distinct);
        seen.clear();
        List<AddResult> results = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            Job job = created.get(i);
            boolean first = seen.add(job.id());
            WriteResult result = first
                    ? written.get(seen.size() - 1)
                    : new WriteResult.Conflict(job.id().docId());
            JobRequest request = requests.get(i);
            results.add(orRejected(job.id(), () -> stored(request, job, result, replace)));
        }
        return List.copyOf(results);
    }

    /** Creates a job that must not exist, in any state. Throws a {@link DuplicateJobException} when it does. */
    public Job insert(JobRequest request) {
        Job job = created(store.listener().adding(request));
        Job inserted = races.inserted(job, store.writer().write(job), written -> createdBy(request, job, written))
                .orElseThrow(() -> duplicate(job.id()));
        told(List.of(AddResult.added(inserted)));
        return inserted;
    }

    private DuplicateJobException duplicate(JobId id) {
        String status = store.read(id).map(Job::status).map(JobStatus::json).orElse("being removed");
        return new DuplicateJobException(id, status);
    }

    /** Creates jobs that must not exist, in one bulk write. Rejects each job that exists. */
    public List<AddResult> insertAll(List<JobRequest> requests) {
        return insertCreated(listened(requests).stream().map(this::created).toList());
    }

    /** Creates the chunks of an array that do not exist, in one bulk write. Rejects each chunk that exists. */
    List<AddResult> insertChunks(List<Job> chunks) {
        return insertCreated(chunks.stream()
                .map(chunk -> store.attaching(store.site().stamp(chunk)))
                .toList());
    }

    private List<AddResult> insertCreated(List<Job> jobs) {
        List<WriteResult> written = store.writer().writeAll(jobs);
        return told(IntStream.range(0, jobs.size())
                .mapToObj(i -> inserted(jobs.get(i), written.get(i)))
                .toList());
    }

    private AddResult inserted(Job job, WriteResult written) {
        String exists = "job " + job.id() + " exists already; nothing was written";
        return orRejected(job.id(), () -> races.inserted(job, written, each -> races.stored(job, each))
                .map(AddResult::added)
                .orElseGet(() -> AddResult.rejected(job.id(), exists)));
    }

    /**
     * Adds a job unless an unfinished one with its identity exists. If several callers try, one of them adds the job
     * and gets true.
     */
    public boolean insertIfNew(JobRequest request) {
        return !insertedAndTold(request).isEmpty();
    }

    /**
     * Adds a job as {@link #insertIfNew} does.
     *
     * @return what happened: unchanged when an unfinished job exists, rejected when the job cannot be added
     */
    public AddResult addIfNew(JobRequest request) {
        return orRejected(request.id(), () -> insertedAndTold(request).stream()
                .findFirst()
                .orElseGet(() -> new AddResult(request.id(), AddResult.Outcome.UNCHANGED, null, null)));
    }

    private List<AddResult> insertedAndTold(JobRequest request) {
        return told(insertedIfNew(store.listener().adding(request)).stream()
                .map(AddResult::added)
                .toList());
    }

    /** Returns the added job, or an empty list when an unfinished one exists. */
    private List<Job> insertedIfNew(JobRequest request) {
        Job job = created(request);
        return races.untilWon(job.id(), () -> {
            Optional<Job> stored = createdBy(request, job, store.writer().write(job));
            if (stored.isPresent()) {
                return stored.map(List::of);
            }
            Optional<Job> present = store.readToChange(job.id());
            if (present.isEmpty()) {
                return Optional.empty();
            }
            return present.get().phase() == JobPhase.FINISHED
                    ? races.won(Transitions.add(present.get(), request, true, clock.instant()))
                            .map(List::of)
                    : store.confirmation().ofFound(present.get()).map(unfinished -> List.of());
        });
    }

    /** Deletes a job in any state, even when its document cannot be a job. A worker that runs the job is halted. */
    public void remove(JobId id) {
        Removal removal = new Removal(store, id);
        try {
            races.untilWon(id, removal::attempt);
        } catch (ContentionException open) {
            if (removal.hasBegun()) {
                throw new UnconfirmedException(id, open);
            }
            throw open;
        }
    }

    /**
     * Cancels a job, asks its owner to cancel it, or leaves the cancellation to the next claim.
     *
     * @param reason the reason that the job records; null for none
     */
    public CancelResult cancel(JobId id, CancelMode mode, @Nullable String reason) {
        Settled settled = decide(
                id,
                job -> mode == CancelMode.REQUEST && job.status().isLocked()
                        ? Transitions.requestCancel(job, reason, clock.instant())
                        : cancelled(job, reason));
        return switch (settled.decision.before().phase()) {
            case PENDING ->
                settled.job.phase() == JobPhase.FINISHED ? CancelResult.CANCELLED : CancelResult.AT_NEXT_CLAIM;
            case RUNNING -> mode == CancelMode.REQUEST ? CancelResult.REQUESTED : CancelResult.RUNNING;
            case FINISHED, NOT_FOUND -> CancelResult.ALREADY_FINISHED;
        };
    }

    private Decision cancelled(Job job, @Nullable String reason) {
        return store.isCluster()
                ? ClusterTransitions.cancel(job, reason, clock.instant())
                : Transitions.cancel(job, reason, clock.instant());
    }

    /**
     * Changes a job by a transition.
     *
     * @param refusal the message when the job's state refuses the change, such as "cannot be rescheduled"
     */
    public Job change(JobId id, String refusal, BiFunction<Job, Instant, Decision> transition) {
        Settled settled = decide(id, job -> transition.apply(job, clock.instant()));
        if (settled.decision.isRefused()) {
            throw new JobRefusedException(
                    id, "is " + settled.job.status().json() + " and " + refusal + "; nothing was written");
        }
        return settled.job;
    }

    private List<JobRequest> listened(List<JobRequest> requests) {
        return requests.stream().map(store.listener()::adding).toList();
    }

    private List<AddResult> told(List<AddResult> results) {
        results.forEach(store.listener()::added);
        return results;
    }

    private static AddResult orRejected(JobId id, Supplier<AddResult> add) {
        try {
            return add.get();
        } catch (WriteRefusedException
                | ContentionException
                | UnconfirmedException
                | MalformedDocumentException problem) {
            return AddResult.rejected(id, String.valueOf(problem.getMessage()));
        }
    }

    private AddResult stored(JobRequest request, Job created, WriteResult written, boolean replace) {
        return createdBy(request, created, written)
                .map(AddResult::added)
                .orElseGet(() -> addExisting(request, created, replace));
    }

    /**
     * Returns the new job as stored. Calls {@link JobRequest#stored}, on a cluster only when a quorum confirmed the job:
     * until then, another try must write the same bytes.
     */
    private Optional<Job> createdBy(JobRequest request, Job created, WriteResult written) {
        Optional<Job> stored = races.stored(created, written);
        if (stored.isPresent() && (written instanceof WriteResult.Stored || !store.isCluster())) {
            request.stored();
        }
        return stored;
    }

    /**
     * Adds a job that exists. If the job is not there after all, writes the same bytes again: other bytes would make
     * another leaf.
     */
    private AddResult addExisting(JobRequest request, Job created, boolean replace) {
        JobId id = request.id();
        return races.untilWon(id, () -> {
            Optional<Job> present = store.readToChange(id);
            if (present.isEmpty()) {
                return createdBy(request, created, store.writer().write(created))
                        .map(AddResult::added);
            }
            Decision decision = Transitions.add(present.get(), request, replace, clock.instant());
            Optional<Job> won = races.won(decision);
            won.ifPresent(job -> request.stored());
            return won.map(job -> AddResult.of(kind(decision), job));
        });
    }

    private static AddResult.Outcome kind(Decision decision) {
        return switch (decision.before().phase()) {
            case RUNNING -> AddResult.Outcome.RESUBMITTED;
            case FINISHED, NOT_FOUND -> AddResult.Outcome.ADDED;
            case PENDING -> decision.write().isEmpty() ? AddResult.Outcome.UNCHANGED : AddResult.Outcome.UPDATED;
        };
    }

    /** Returns a new job, stamped with the site that it is created at. */
    private Job created(JobRequest request) {
        Job created = Transitions.create(request, request.firstTried(clock.instant()));
        return store.attaching(store.site().stamp(created));
    }

    /**
     * Returns the job as a majority of the copies confirms it, or empty when there is none. Another try may have
     * written it unconfirmed.
     */
    Optional<Job> confirmed(JobId id) {
        try {
            return Optional.of(decide(id, Decision::nothingToDo).job);
        } catch (NotFoundException none) {
            return Optional.empty();
        }
    }

    private Settled decide(JobId id, Function<Job, Decision> rule) {
        return races.untilWon(id, () -> races.present(id).map(rule).flatMap(decision -> races.won(decision)
                .map(won -> new Settled(decision, won))));
    }

    private record Settled(Decision decision, Job job) {}
}
