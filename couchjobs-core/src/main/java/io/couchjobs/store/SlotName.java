package io.couchjobs.store;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One of the places in which jobs of a limited type, or of a group of it, run. Immutable and thread-safe.
 *
 * @param limited what is limited
 * @param index which of its places, from 0
 */
record SlotName(Limited limited, int index) {
    /** What the document ids of all slots begin with. */
    static final String PREFIX = "slot:";

    private static final String OF_TYPE = "t";
    private static final String OF_GROUP = "g";

    /** What the document ids of the slots of a type, and of its groups, begin with; no type has a colon in its name. */
    static String prefix(String type) {
        return PREFIX + type + ":";
    }

    /** The document's id; the group comes last because anything may be in it. */
    String docId() {
        String prefix = prefix(limited.type);
        return limited.group == null
                ? prefix + OF_TYPE + ":" + index
                : prefix + OF_GROUP + ":" + index + ":" + limited.group;
    }

    /** The slot that a document is; empty when its id is not one of ours. */
    static Optional<SlotName> parse(String docId) {
        String[] parts = docId.split(":", 5);
        boolean ofType = parts.length == 4 && parts[2].equals(OF_TYPE);
        boolean ofGroup = parts.length == 5 && parts[2].equals(OF_GROUP);
        if (!docId.startsWith(PREFIX) || !(ofType || ofGroup)) {
            return Optional.empty();
        }
        try {
            Limited limited = new Limited(parts[1], ofGroup ? parts[4] : null);
            return Optional.of(new SlotName(limited, Integer.parseInt(parts[3])))
                    .filter(slot -> slot.docId().equals(docId));
        } catch (NumberFormatException notOurs) {
            return Optional.empty();
        }
    }

    /**
     * What is limited: a type, or a group of it.
     *
     * @param type the type
     * @param group the group, or null for the whole type
     */
    record Limited(String type, @Nullable String group) {}
}
