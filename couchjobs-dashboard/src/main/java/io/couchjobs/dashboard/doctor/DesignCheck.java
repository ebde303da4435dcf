package io.couchjobs.dashboard.doctor;

import io.couchjobs.JobQueue;
import io.couchjobs.Operations;
import io.couchjobs.Problem;
import java.util.List;

/** Checks whether the design documents are there and unchanged. */
final class DesignCheck extends Check {
    DesignCheck() {
        super("design");
    }

    @Override
    public Problem look(JobQueue queue) {
        List<String> wrong = queue.operations().designs().stream()
                .filter(design -> !design.isFine())
                .map(design -> design.name()
                        + (design.state() == Operations.DesignState.State.MISSING ? " is missing" : " was changed"))
                .toList();
        if (wrong.isEmpty()) {
            return fine("the design documents of this version are there");
        }
        return problem(
                String.join(", ", wrong),
                "workers find no jobs, or wrong ones",
                "couchjobs design push, after you have deleted changed ones; couchjobs doctor --fix also stores missing ones");
    }

    @Override
    public List<Step> fix(JobQueue queue) {
        return queue.operations().pushDesigns().stream()
                .map(name -> Step.done("stored the design document " + name))
                .toList();
    }
}
