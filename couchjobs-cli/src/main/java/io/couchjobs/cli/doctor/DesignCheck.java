package io.couchjobs.cli.doctor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.engine.index.DesignDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Whether the design documents are there, and nobody has changed them. */
final class DesignCheck implements Check {
    @Override
    public String name() {
        return "design";
    }

    @Override
    public Finding look(JobQueue queue) {
        List<String> wrong = new ArrayList<>();
        for (DesignDocument wanted : DesignDocument.ALL) {
            Optional<ObjectNode> stored = queue.designDocuments().read(wanted.versionedName());
            stored.ifPresent(document -> document.remove("_rev"));
            if (stored.isEmpty()) {
                wrong.add(wanted.versionedName() + " is missing");
            } else if (!stored.get().equals(wanted.toDocument())) {
                wrong.add(wanted.versionedName() + " was changed");
            }
        }
        if (wrong.isEmpty()) {
            return Finding.fine("the design documents of this version are there");
        }
        return Finding.problem(
                String.join(", ", wrong),
                "workers find no jobs, or wrong ones",
                "couchjobs design push, for missing ones also: couchjobs doctor --fix; delete changed ones before");
    }

    @Override
    public List<String> fix(JobQueue queue) {
        return queue.designDocuments().push().stream()
                .map(name -> "stored the design document " + name)
                .toList();
    }
}
