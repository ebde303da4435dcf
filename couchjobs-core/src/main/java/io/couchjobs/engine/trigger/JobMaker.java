package io.couchjobs.engine.trigger;

import com.fasterxml.jackson.databind.node.LongNode;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.create.AddRules;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.lifecycle.Decision;
import io.couchjobs.engine.lifecycle.FollowTransition;
import io.couchjobs.engine.lifecycle.Origin;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.Leaves;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.ContentionException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRefusedException;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.job.NoTypeTimeoutException;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.job.WriteRefusedException;
import io.couchjobs.trigger.SourceChange;
import io.couchjobs.trigger.Trigger;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Makes the jobs of a trigger, each once. Thread-safe.
 *
 * <p>New jobs are written by one bulk request, without reading first. An existing job names the change that it was made from. A
 * change may be seen again after a crash, or because a feed went back. Such a change finds its job and does nothing.
 */
final class JobMaker {
    /**
     * The maximum number of jobs that one request reads. A busy cluster may not answer a larger request before the client's
     * timeout.
     */
    private static final int MOST_READ = 500;

    private final JobStore store;
    private final Creator creator;
    private final AddRules rules;
    private final InstantSource clock;

    JobMaker(JobStore store, Creator creator, AddRules rules, InstantSource clock) {
        this.store = store;
        this.creator = creator;
        this.rules = rules;
        this.clock = clock;
    }

    /**
     * Makes jobs, or runs existing jobs again.
     *
     * @param wanted jobs with different ids
     * @param round the time of the trigger's last replay, in ms; 0 if there was none
     * @param isCurrent whether the revision of a change is the current revision of its document; called only when a later revision
     *     has made the job
     * @return the result of each job, in the same order
     * @throws CouchJobsException when the database cannot be reached, or when it is unknown what it stored; the caller can retry
     *     all jobs
     */
    List<Result> make(Trigger trigger, long round, List<Wanted> wanted, Predicate<SourceChange> isCurrent) {
        Map<JobId, Outcome> outcomes = new LinkedHashMap<>();
        List<Wanted> allowed = allowed(wanted, outcomes);
        List<Job> created =
                allowed.stream().map(each -> created(trigger, round, each)).toList();
        List<WriteResult> written = store.writer().writeAll(created);
        List<Wanted> present = new ArrayList<>();
        for (int i = 0; i < created.size(); i++) {
            Wanted each = allowed.get(i);
            WriteResult result = confirmed(created.get(i), written.get(i));
            if (result instanceof WriteResult.Stored stored) {
                outcomes.put(each.id(), made(created.get(i).withRev(stored.rev())));
            } else if (result instanceof WriteResult.Refused refused) {
                outcomes.put(each.id(), failed(new WriteRefusedException(refused)));
            } else {
                present.add(each);
            }
        }
        Found found = new Found(trigger, round, isCurrent, read(present));
        present.forEach(each -> outcomes.put(each.id(), found.outcome(each)));
        found.write(outcomes);
        return wanted.stream()
                .map(each -> new Result(each, outcomes.getOrDefault(each.id(), new Outcome.Known())))
                .toList();
    }

    /**
     * Returns whether a job of a trigger may have to wait because its type has a limit. True for an outbox, whose documents name
     * the types.
     */
    boolean mayHaveNoRoom(Trigger trigger) {
        return trigger.type().map(rules::hasLimit).orElse(true);
    }

    /** A job that a trigger wanted, and its outcome. */
    record Result(Wanted wanted, Outcome outcome) {
        boolean hasNoRoom() {
            return outcome instanceof Outcome.NoRoom;
        }

        boolean waits() {
            return outcome instanceof Outcome.Waits;
        }

        SourceChange change() {
            return wanted.change();
        }
    }

    private List<Wanted> allowed(List<Wanted> wanted, Map<JobId, Outcome> outcomes) {
        List<JobRequest> requests = wanted.stream().map(Wanted::request).toList();
        Set<JobId> full = rules.full(requests);
        for (JobRequest request : requests) {
            if (full.contains(request.id())) {
                outcomes.put(request.id(), new Outcome.NoRoom());
            } else if (!isAllowed(request)) {
                outcomes.put(
                        request.id(),
                        new Outcome.Failed(
                                NoTypeTimeoutException.message(request.id().type()), true));
            }
        }
        return wanted.stream().filter(each -> !outcomes.containsKey(each.id())).toList();
    }

    private boolean isAllowed(JobRequest request) {
        try {
            rules.checkType(request);
            return true;
        } catch (NoTypeTimeoutException strict) {
            return false;
        }
    }

    private Job created(Trigger trigger, long round, Wanted wanted) {
        Job job = Transitions.create(wanted.request(), clock.instant())
                .with(Field.TRIGGER, wanted.origin(trigger.name(), round).toJson())
                .with(Field.SCHEDULED_TIME, LongNode.valueOf(wanted.time().toEpochMilli()));
        return store.attaching(store.site().stamp(job));
    }

    /** Confirms a job that only a minority of the copies stored. Returns a conflict when another job with the same id won. */
    private WriteResult confirmed(Job job, WriteResult written) {
        if (!(written instanceof WriteResult.Accepted accepted)) {
            return written;
        }
        return store.confirmation()
                .of(job.id(), accepted.rev(), clock)
                .flatMap(Job::rev)
                .<WriteResult>map(rev -> new WriteResult.Stored(accepted.id(), rev))
                .orElseGet(() -> new WriteResult.Conflict(accepted.id()));
    }

    private Outcome made(Job job) {
        store.listener().added(AddResult.added(job));
        return new Outcome.Made();
    }

    /** Returns the outcome of a refused write. Throws on a server error, because the server may still store the document. */
    private static Outcome failed(WriteRefusedException refused) {
        if (refused.status() >= 500) {
            throw refused;
        }
        return new Outcome.Failed(String.valueOf(refused.getMessage()), refused.isForWantOfRole());
    }

    /**
     * Reads the jobs as a majority of the copies has them. Conflicts are left to the background resolution, because resolving each
     * here would delay all other jobs.
     */
    private Present read(List<Wanted> present) {
        Map<JobId, Job> jobs = new HashMap<>();
        Set<JobId> unresolved = new HashSet<>();
        List<JobId> ids = present.stream().map(Wanted::id).toList();
        if (store.isCluster()) {
            leaves(ids).forEach((id, leaves) -> {
                if (leaves.filter(Leaves::needResolution).isPresent()) {
                    unresolved.add(id);
                } else {
                    leaves.flatMap(Leaves::winner).ifPresent(job -> jobs.put(id, job));
                }
            });
        } else {
            store.readAll(ids).forEach(job -> jobs.put(job.id(), job));
        }
        return new Present(jobs, unresolved);
    }

    private Map<JobId, Optional<Leaves>> leaves(List<JobId> ids) {
        Map<JobId, Optional<Leaves>> all = new HashMap<>();
        for (int from = 0; from < ids.size(); from += MOST_READ) {
            List<JobId> some = ids.subList(from, Math.min(from + MOST_READ, ids.size()));
            all.putAll(store.majority()
                    .read(some.stream().map(JobId::docId).toList(), () -> store.leaves(some))
                    .orElseThrow(() -> new CouchJobsException("no majority of the copies of the queue is in reach")));
        }
        return all;
    }

    /**
     * The existing jobs of a step.
     *
     * @param jobs the jobs without conflicts
     * @param unresolved the ids of the jobs that have conflicts or a withdrawn claim
     */
    private record Present(Map<JobId, Job> jobs, Set<JobId> unresolved) {}

    /** Decides about the existing jobs of a step, and writes those that change. */
    private final class Found {
        private final Trigger trigger;
        private final long round;
        private final Predicate<SourceChange> isCurrent;
        private final Present present;
        private final List<Wanted> changed = new ArrayList<>();
        private final List<Job> next = new ArrayList<>();

        Found(Trigger trigger, long round, Predicate<SourceChange> isCurrent, Present present) {
            this.trigger = trigger;
            this.round = round;
            this.isCurrent = isCurrent;
            this.present = present;
        }

        /** Returns the outcome of a job. For a job that must be written, returns the outcome that a successful write has. */
        Outcome outcome(Wanted wanted) {
            Job job = present.jobs.get(wanted.id());
            if (present.unresolved.contains(wanted.id())) {
                return new Outcome.Waits();
            } else if (job == null || job.isWithdrawn()) {
                return change(wanted);
            }
            Decision decision = decide(wanted, job, clock.instant());
            if (decision.isRefused()) {
                return new Outcome.Waits();
            } else if (decision.write().isEmpty()) {
                return new Outcome.Known();
            }
            changed.add(wanted);
            store.attaching(decision).ifPresent(next::add);
            return new Outcome.Made();
        }

        /** Writes the changed jobs by one request. Reads the jobs that other processes changed meanwhile, and decides anew. */
        void write(Map<JobId, Outcome> outcomes) {
            List<WriteResult> written = store.writer().writeAll(next);
            List<Job> stored = new ArrayList<>();
            for (int i = 0; i < next.size(); i++) {
                if (written.get(i) instanceof WriteResult.Stored now) {
                    stored.add(next.get(i).withRev(now.rev()));
                }
            }
            Set<JobId> ids = stored.stream().map(Job::id).collect(Collectors.toSet());
            Optional<Set<JobId>> standing = store.confirmation().standing(stored);
            for (int i = 0; i < next.size(); i++) {
                JobId id = changed.get(i).id();
                if (ids.contains(id) && standing.isEmpty()) {
                    outcomes.put(id, new Outcome.Waits());
                } else {
                    boolean stands = standing.filter(all -> all.contains(id)).isPresent();
                    outcomes.put(id, stands ? made(next.get(i)) : change(changed.get(i)));
                }
            }
        }

        private Decision decide(Wanted wanted, Job job, Instant now) {
            Origin origin = wanted.origin(trigger.name(), round);
            boolean isKnown = !isOfNewestState()
                    || Origin.of(job)
                            .filter(made -> isKnown(origin, made, wanted.change()))
                            .isPresent();
            return isKnown
                    ? Decision.nothingToDo(job)
                    : new FollowTransition(
                                    wanted.request(),
                                    origin,
                                    wanted.time(),
                                    !trigger.debounce().isZero())
                            .decide(job, now);
        }

        private boolean isKnown(Origin origin, Origin made, SourceChange change) {
            return origin.isCoveredBy(made) || (origin.isOlderThan(made) && !isCurrent.test(change));
        }

        /**
         * Returns whether jobs stand for the newest state of their documents. A job of a single change needs no write once it
         * exists.
         */
        private boolean isOfNewestState() {
            return trigger.delivery() == Trigger.Delivery.LATEST
                    && trigger.outbox().isEmpty()
                    && trigger.batch().isEmpty();
        }

        private Outcome change(Wanted wanted) {
            try {
                boolean[] writes = new boolean[1];
                Job job = creator.change(wanted.id(), "runs", (present, now) -> {
                    Decision decision = decide(wanted, present, now);
                    writes[0] = decision.write().isPresent();
                    return decision;
                });
                return writes[0] ? made(job) : new Outcome.Known();
            } catch (JobRefusedException | ContentionException | UnconfirmedException notNow) {
                return new Outcome.Waits();
            } catch (WriteRefusedException refused) {
                return failed(refused);
            } catch (MalformedDocumentException inItsPlace) {
                return new Outcome.Failed(String.valueOf(inItsPlace.getMessage()), true);
            } catch (NotFoundException gone) {
                throw new CouchJobsException("job " + wanted.id() + " was removed at this moment", gone);
            }
        }
    }
}
