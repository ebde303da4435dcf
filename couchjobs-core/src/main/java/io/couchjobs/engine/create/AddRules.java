package io.couchjobs.engine.create;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.NoTypeTimeoutException;
import io.couchjobs.job.QueueFullException;
import io.couchjobs.type.Limit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;

/**
 * Decides whether a job may be added. In a strict queue, the job's type must have a timeout. If the type limits its
 * pending jobs, a new job needs room within that limit. Thread-safe.
 *
 * <p>The limit of pending jobs is approximate: creators that add at the same time may each still find room. A job that
 * exists, in any state, may always be added again. Jobs for other sites are not counted. Jobs of schedules and scopes
 * need no room, and a scope has a limit of its own. Restored jobs are not checked at all.
 *
 * <p>A type without a limit costs no request. But a process that only adds jobs and follows no feed reads the settings
 * of a type again after ten seconds. With a limit, each add or batch asks an index for one number.
 */
public final class AddRules {
    private final JobStore store;
    private final JobIndex index;
    private final SettingsStore settings;
    private final boolean strict;

    /** @param strict whether a type without a timeout is refused */
    public AddRules(QueueParts parts, boolean strict) {
        this.store = parts.store();
        this.index = parts.index();
        this.settings = parts.settings();
        this.strict = strict;
    }

    /**
     * Checks one job by all rules.
     *
     * @throws NoTypeTimeoutException when the queue is strict and the type has no timeout
     * @throws QueueFullException when the job is new and there is no room for it
     */
    public void check(JobRequest request) {
        checkType(request);
        if (isFull(request)) {
            throw new QueueFullException(
                    request.id(), limit(request.id().type()).orElse(0));
        }
    }

    /**
     * Checks the type of a job of a schedule or a scope, which needs no room.
     *
     * @throws NoTypeTimeoutException when the queue is strict and the type has no timeout
     */
    public void checkType(JobRequest request) {
        String type = request.id().type();
        if (!isAllowed(type)) {
            throw new NoTypeTimeoutException(type);
        }
    }

    /** {@return whether a job passes {@link #check}} */
    public boolean allow(JobRequest request) {
        return !isFull(request) && isAllowed(request.id().type());
    }

    /**
     * Creates the jobs that may be added, and rejects the others.
     *
     * @return what happened to each job, in the order of the requests
     */
    public List<AddResult> allowed(List<JobRequest> requests, Function<List<JobRequest>, List<AddResult>> create) {
        Map<JobId, String> problems = problems(requests);
        List<JobRequest> good = requests.stream()
                .filter(request -> !problems.containsKey(request.id()))
                .toList();
        Iterator<AddResult> created = create.apply(good).iterator();
        return requests.stream()
                .map(JobRequest::id)
                .map(id -> problems.containsKey(id) ? AddResult.rejected(id, problems.get(id)) : created.next())
                .toList();
    }

    private Map<JobId, String> problems(List<JobRequest> requests) {
        Map<String, Boolean> types = new HashMap<>();
        requests.forEach(request -> types.computeIfAbsent(request.id().type(), this::isAllowed));
        Map<JobId, String> problems = new HashMap<>();
        requests.stream()
                .map(JobRequest::id)
                .filter(id -> !types.getOrDefault(id.type(), false))
                .forEach(id -> problems.put(id, NoTypeTimeoutException.message(id.type())));
        full(requests.stream()
                        .filter(request -> !problems.containsKey(request.id()))
                        .toList())
                .forEach(id -> problems.put(
                        id, QueueFullException.message(id, limit(id.type()).orElse(0))));
        return problems;
    }

    /**
     * Returns whether a type may have jobs. Before a type is refused, its settings are read again, because remembered
     * settings may be old.
     */
    private boolean isAllowed(String type) {
        return !strict
                || settings.get(type).timeout().isPresent()
                || settings.read(type).timeout().isPresent();
    }

    private boolean isFull(JobRequest request) {
        return !full(List.of(request)).isEmpty();
    }

    /** {@return the new jobs for which there is no room} */
    public Set<JobId> full(List<JobRequest> requests) {
        Set<JobId> beyond = beyond(requests, Set.of());
        return beyond.isEmpty() ? beyond : beyond(requests, existing(limited(requests)));
    }

    private List<JobId> limited(List<JobRequest> requests) {
        return requests.stream()
                .map(JobRequest::id)
                .filter(id -> hasLimit(id.type()))
                .distinct()
                .toList();
    }

    private Set<JobId> beyond(List<JobRequest> requests, Set<JobId> existing) {
        Map<String, Long> room = new HashMap<>();
        Set<JobId> beyond = new HashSet<>();
        Set<JobId> within = new HashSet<>();
        for (JobRequest request : requests) {
            JobId id = request.id();
            OptionalInt limit = limit(id.type());
            if (limit.isEmpty() || within.contains(id) || existing.contains(id) || isForElsewhere(request)) {
                continue;
            }
            long left = room.computeIfAbsent(
                    id.type(), type -> limit.getAsInt() - index.counts().pending(type));
            if (left > 0) {
                within.add(id);
                room.put(id.type(), left - 1);
            } else {
                beyond.add(id);
            }
        }
        return beyond;
    }

    private boolean isForElsewhere(JobRequest request) {
        return request.site().filter(site -> !store.site().owns(site)).isPresent();
    }

    private Set<JobId> existing(List<JobId> ids) {
        List<Optional<ObjectNode>> found =
                store.database().getAll(ids.stream().map(JobId::docId).toList());
        Set<JobId> existing = new HashSet<>();
        for (int i = 0; i < ids.size(); i++) {
            if (found.get(i).isPresent()) {
                existing.add(ids.get(i));
            }
        }
        return existing;
    }

    /** {@return whether a type has a limit, so that a new job may find no room} */
    public boolean hasLimit(String type) {
        return limit(type).isPresent();
    }

    private OptionalInt limit(String type) {
        return settings.recent(type).get(Limit.QUEUED);
    }
}
