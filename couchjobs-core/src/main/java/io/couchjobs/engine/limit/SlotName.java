package io.couchjobs.engine.limit;

import io.couchjobs.engine.document.DocIds;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One of the places in which jobs of a limited type, or of one of its groups, run. Immutable and thread-safe.
 *
 * @param index the number of the place, from 0
 */
public record SlotName(Limited limited, int index) {
    private static final String OF_TYPE = "t";
    private static final String OF_GROUP = "g";
    private static final String AT = "@";

    /** Returns the prefix of the document ids of the slots of a type and its groups. No type has a colon in its name. */
    static String prefix(String type) {
        return DocIds.SLOT + type + ":";
    }

    /** Returns the document's id. The group comes last because it may contain any character. */
    String docId() {
        String prefix = prefix(limited.type);
        String ofSite = limited.site == null ? "" : AT + limited.site;
        return limited.group == null
                ? prefix + OF_TYPE + ofSite + ":" + index
                : prefix + OF_GROUP + ofSite + ":" + index + ":" + limited.group;
    }

    /** Returns whether a document is a slot, by its id. */
    public static boolean isOf(String docId) {
        return parse(docId).isPresent();
    }

    /** Returns the name of the slot with this document id; empty when the id is not that of a slot. */
    static Optional<SlotName> parse(String docId) {
        String[] parts = docId.split(":", 5);
        String kind = parts.length < 4 ? "" : parts[2].substring(0, Math.min(1, parts[2].length()));
        boolean ofType = parts.length == 4 && kind.equals(OF_TYPE);
        boolean ofGroup = parts.length == 5 && kind.equals(OF_GROUP);
        if (!docId.startsWith(DocIds.SLOT) || !(ofType || ofGroup)) {
            return Optional.empty();
        }
        try {
            String site = parts[2].length() < 2 ? null : parts[2].substring(2);
            Limited limited = new Limited(parts[1], ofGroup ? parts[4] : null, site);
            return Optional.of(new SlotName(limited, Integer.parseInt(parts[3])))
                    .filter(slot -> slot.docId().equals(docId));
        } catch (NumberFormatException notOurs) {
            return Optional.empty();
        }
    }

    /**
     * The scope of a limit: a type, or one of its groups, at one site.
     *
     * @param group the group, or null for the whole type
     * @param site the name of the database whose workers are limited, or null when it has none
     */
    record Limited(
            String type, @Nullable String group, @Nullable String site) {}
}
