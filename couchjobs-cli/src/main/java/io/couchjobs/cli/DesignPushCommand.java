package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code design push}: stores missing design documents. */
@Command(
        name = "push",
        description = "Store the design documents of this version where they are missing.",
        footer = {"  couchjobs design push", "  couchjobs design push && couchjobs design list"})
final class DesignPushCommand extends QueueCommand implements CreatesStore {
    @Override
    ExitCode run(JobQueue queue) {
        List<String> pushed = queue.operations().pushDesigns();
        output().line(
                        () -> pushed.isEmpty() ? "nothing to do" : "stored " + String.join(", ", pushed),
                        () -> json(pushed));
        return ExitCode.DONE;
    }

    private static ObjectNode json(List<String> pushed) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        pushed.forEach(json.putArray("designDocumentsPushed")::add);
        return json;
    }
}
