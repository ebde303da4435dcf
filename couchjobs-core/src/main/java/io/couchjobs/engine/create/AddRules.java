package io.couchjobs.engine.create;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
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
 * Refuses new jobs of types that have as many pending ones as they may have. Thread-safe. The limit is approximate:
 * creators that add at the same time may each still find room. Jobs that exist, in any state, may always be added
 * again; jobs for other sites are not counted.
 *
 * <p>Types without such a limit cost no request. But a process that only adds jobs and follows no feed reads the
 * settings of a type again after ten seconds. With a limit, each add, or batch, asks an index for one number.
 */
public final class QueueLimits {
    private final JobStore store;
    private final JobIndex index;
    private final SettingsStore settings;

    /**
     * Works on a store.
     *
     * @param parts the parts of the queue
     */
    public QueueLimits(QueueParts parts) {
        this.store = parts.store();
        this.index = parts.index();
        this.settings = parts.settings();
    }

    /**
     * Checks one job.
     *
     * @param request the job
     * @throws QueueFullException when it is new and there is no room for it
     */
    public void require(JobRequest request) {
        if (isFull(request)) {
            throw new QueueFullException(
                    request.id(), limit(request.id().type()).orElse(0));
        }
    }

    /**
     * Whether there is no room for a job.
     *
     * @param request the job
     * @return true when it is new and its type is full
     */
    public boolean isFull(JobRequest request) {
        return !full(List.of(request)).isEmpty();
    }

    /**
     * Creates the jobs for which there is room, and rejects the others, in their places.
     *
     * @param requests the jobs
     * @param create creates jobs
     * @return in the same order, what happened to each
     */
    public List<AddResult> allowed(List<JobRequest> requests, Function<List<JobRequest>, List<AddResult>> create) {
        Set<JobId> full = full(requests);
        if (full.isEmpty()) {
            return create.apply(requests);
        }
        Iterator<AddResult> created = create.apply(requests.stream()
                        .filter(request -> !full.contains(request.id()))
                        .toList())
                .iterator();
        return requests.stream()
                .map(request -> full.contains(request.id()) ? rejected(request.id()) : created.next())
                .toList();
    }

    /** {@return the new jobs for which there is no room} */
    private Set<JobId> full(List<JobRequest> requests) {
        Map<String, Long> room = new HashMap<>();
        Set<JobId> beyond = new HashSet<>();
        Set<JobId> within = new HashSet<>();
        for (JobRequest request : requests) {
            JobId id = request.id();
            OptionalInt limit = limit(id.type());
            if (limit.isEmpty() || within.contains(id) || isForElsewhere(request)) {
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
        beyond.removeAll(existing(List.copyOf(beyond)));
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

    private AddResult rejected(JobId id) {
        return AddResult.rejected(
                id, QueueFullException.message(id, limit(id.type()).orElse(0)));
    }

    private OptionalInt limit(String type) {
        return settings.recent(type).get(Limit.QUEUED);
    }
}
