package io.couchjobs.embedded.cluster;

import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.store.EditResult;
import io.couchjobs.embedded.tree.Revision;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Combines the replies of the copies to one write. Only replies with equal revisions are counted together. Refusals never form a
 * quorum: if one copy stored a write and two refused it, the answer is 202.
 *
 * @param needed the number of copies that must store a write
 */
record Quorum(int needed) {
    /** {@return the answer if it is already certain before all copies have replied} */
    Optional<WriteRow> early(String id, List<EditResult> replies) {
        Map<Revision, Integer> counts = new HashMap<>();
        for (EditResult reply : replies) {
            if (reply.error() == null && counts.merge(reply.revOrThrow(), 1, Integer::sum) >= needed) {
                return Optional.of(new WriteRow(id, reply.revOrThrow(), false, null));
            }
        }
        return Optional.empty();
    }

    /** {@return the answer when no further replies are expected} */
    WriteRow last(String id, List<EditResult> replies) {
        return early(id, replies).orElseGet(() -> minority(id, replies));
    }

    private static WriteRow minority(String id, List<EditResult> replies) {
        return replies.stream()
                .filter(reply -> reply.error() == null)
                .findFirst()
                .map(taken -> new WriteRow(id, taken.rev(), true, null))
                .orElseGet(() -> new WriteRow(id, null, false, firstError(replies)));
    }

    private static CouchError firstError(List<EditResult> replies) {
        return replies.stream()
                .map(EditResult::error)
                .filter(Objects::nonNull)
                .findFirst()
                .orElseGet(() -> new CouchError(500, "internal_server_error", "No copy answered."));
    }

    /** {@return the status of an answer with several rows} */
    static int status(List<WriteRow> rows, boolean disagreed) {
        if (disagreed || rows.stream().anyMatch(row -> row.status() == 500)) {
            return 500;
        }
        return rows.stream().anyMatch(WriteRow::accepted) ? 202 : 201;
    }

    /** {@return whether all copies refused a document, but not all for the same reason} */
    static boolean disagree(List<EditResult> replies) {
        return replies.stream().allMatch(reply -> reply.error() != null)
                && replies.stream()
                                .map(reply -> reason(reply.error()))
                                .distinct()
                                .count()
                        > 1;
    }

    private static String reason(@Nullable CouchError error) {
        return error == null ? "" : error.error() + ": " + error.reason();
    }
}
