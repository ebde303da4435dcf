package io.couchjobs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.Operations.DesignState;
import io.couchjobs.engine.index.DesignDocument;
import io.couchjobs.engine.index.DesignDocuments;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Compares the design documents in a database with those that this version requires. */
record DesignStates(DesignDocuments designs) {
    /**
     * {@return the documents that this version always requires, then its installed on-demand documents, then all other installed
     * documents}
     */
    List<DesignState> list() {
        List<DesignState> states = new ArrayList<>();
        List<String> others = new ArrayList<>(designs.installed());
        for (DesignDocument wanted : DesignDocument.ALL) {
            others.remove(wanted.versionedName());
            states.add(stateOf(wanted));
        }
        for (DesignDocument onDemand : DesignDocument.ON_DEMAND) {
            if (others.remove(onDemand.versionedName())) {
                states.add(stateOf(onDemand));
            }
        }
        others.forEach(name -> states.add(new DesignState(name, DesignState.State.OTHER)));
        return states;
    }

    private DesignState stateOf(DesignDocument wanted) {
        Optional<ObjectNode> stored = designs.read(wanted.versionedName());
        DesignState.State state =
                stored.map(document -> compare(document, wanted)).orElse(DesignState.State.MISSING);
        return new DesignState(wanted.versionedName(), state);
    }

    private static DesignState.State compare(ObjectNode stored, DesignDocument wanted) {
        stored.remove("_rev");
        return stored.equals(wanted.toDocument()) ? DesignState.State.CURRENT : DesignState.State.CHANGED;
    }
}
