package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.index.DesignDocument;
import io.couchjobs.engine.index.DesignDocuments;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How one design document stands.
 *
 * @param name its versioned name
 * @param state what is the matter with it
 */
record DesignState(String name, State state) {
    /** What can be the matter. */
    enum State {
        CURRENT("this version's, in the database"),
        MISSING("this version's, not in the database"),
        CHANGED("in the database, but somebody changed it"),
        OTHER("another version's, in the database");

        private final String words;

        State(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }
    }

    static List<DesignState> all(DesignDocuments there) {
        List<DesignState> states = new ArrayList<>();
        List<String> others = new ArrayList<>(there.installed());
        for (DesignDocument wanted : DesignDocument.ALL) {
            others.remove(wanted.versionedName());
            states.add(new DesignState(wanted.versionedName(), compare(wanted, there.read(wanted.versionedName()))));
        }
        for (DesignDocument onDemand : DesignDocument.ON_DEMAND) {
            if (others.remove(onDemand.versionedName())) {
                states.add(new DesignState(
                        onDemand.versionedName(), compare(onDemand, there.read(onDemand.versionedName()))));
            }
        }
        others.forEach(name -> states.add(new DesignState(name, State.OTHER)));
        return states;
    }

    /** {@return whether workers of this version find what they expect} */
    boolean isFine() {
        return state == State.CURRENT || state == State.OTHER;
    }

    ObjectNode json() {
        return JsonNodeFactory.instance
                .objectNode()
                .put("name", name)
                .put("state", state.name().toLowerCase(java.util.Locale.ROOT));
    }

    private static State compare(DesignDocument wanted, Optional<ObjectNode> stored) {
        return stored.map(document -> {
                    document.remove("_rev");
                    return document.equals(wanted.toDocument()) ? State.CURRENT : State.CHANGED;
                })
                .orElse(State.MISSING);
    }
}
