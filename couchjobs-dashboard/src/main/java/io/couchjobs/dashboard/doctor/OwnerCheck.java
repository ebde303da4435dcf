package io.couchjobs.dashboard.doctor;

import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.job.JobRefusedException;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.job.WorkerInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Checks for owned jobs whose owner is not registered. */
final class OwnerCheck extends Check {
    private static final int MOST_NAMED = 5;

    OwnerCheck() {
        super("owners");
    }

    @Override
    public Problem look(JobQueue queue) {
        long orphaned = queue.operations().orphaned();
        if (orphaned == 0) {
            return fine("every owned job belongs to a worker that is registered");
        }
        return note(
                orphaned + " jobs are owned by workers that are not registered",
                "either a program claimed them by hand and renews its leases itself, or their worker is dead",
                "any running worker takes jobs of the dead back when the timeout of their type is over;"
                        + " couchjobs doctor --fix asks whether to do so now");
    }

    @Override
    public Optional<String> question(JobQueue queue) {
        List<WorkerInfo> unknown = unknown(queue);
        if (unknown.isEmpty()) {
            return Optional.empty();
        }
        long jobs = unknown.stream().mapToLong(worker -> worker.jobs().size()).sum();
        String names = unknown.stream().limit(MOST_NAMED).map(WorkerInfo::id).collect(Collectors.joining(", "));
        return Optional.of("take " + jobs + " jobs from workers that are not registered (" + names
                + (unknown.size() > MOST_NAMED ? ", ..." : "")
                + ")? Those that still live are told to stop, and the jobs run again");
    }

    /**
     * Takes the jobs back. Writes only on the revision that was seen, so a worker that claims or renews a job meanwhile keeps it.
     * A registered worker that is missing from the list of workers keeps its jobs, too.
     */
    @Override
    public List<Step> go(JobQueue queue) {
        List<Step> steps = new ArrayList<>();
        for (WorkerInfo worker : unknown(queue)) {
            for (WorkerInfo.OwnedJob owned : worker.jobs()) {
                try {
                    queue.operations().releaseOrphan(owned);
                    steps.add(Step.done("took " + owned.id() + " from " + worker.id()));
                } catch (JobRefusedException | NotFoundException left) {
                    steps.add(Step.done("left " + owned.id() + " as it is: " + left.getMessage()));
                } catch (CouchJobsException trouble) {
                    steps.add(Step.failed("could not take " + owned.id() + " from " + worker.id(), trouble));
                }
            }
        }
        return steps;
    }

    private static List<WorkerInfo> unknown(JobQueue queue) {
        return queue.operations().workers().stream()
                .filter(worker -> worker.registration().isEmpty())
                .toList();
    }
}
