package io.couchjobs.dashboard.doctor;

import io.couchjobs.JobQueue;
import io.couchjobs.Operations;
import io.couchjobs.Problem;
import io.couchjobs.couch.config.CouchNotFoundException;
import java.util.List;

/** Checks whether the indexes keep up with the documents. */
final class IndexCheck extends Check {
    IndexCheck() {
        super("indexes");
    }

    @Override
    public Problem look(JobQueue queue) {
        List<String> behind = queue.operations().designs().stream()
                .filter(design -> design.state() != Operations.DesignState.State.OTHER)
                .map(Operations.DesignState::name)
                .filter(name -> isUpdating(queue, name))
                .toList();
        return behind.isEmpty()
                ? fine("the indexes are not being built now")
                : note(
                        "the index of " + String.join(" and ", behind) + " is catching up",
                        "after an upgrade the former index answers meanwhile; otherwise workers wait for the new one",
                        "look again; when it does not end, the server's disk or its couchjs is too slow for the writes");
    }

    private static boolean isUpdating(JobQueue queue, String name) {
        try {
            return queue.database().viewInfo(name).updating();
        } catch (CouchNotFoundException missing) {
            return false;
        }
    }
}
