package io.couchjobs.engine.limit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.lifecycle.Fences;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.store.JobDocument;
import io.couchjobs.engine.store.Leaves;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.MalformedDocumentException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads slots and the jobs that they name. Thread-safe. */
final class SlotReader {
    private static final int MOST_AT_ONCE = 500;

    private final QueueParts parts;

    SlotReader(QueueParts parts) {
        this.parts = parts;
    }

    /** Reads the present table of a type: its slots, and its owned jobs. */
    SlotTable read(String type) {
        SlotTable table = new SlotTable();
        parts.store()
                .database()
                .view(ViewQuery.allDocs()
                        .startKey(SlotName.prefix(type))
                        .endKey(SlotName.prefix(type) + "\uffff")
                        .includeDocs(true))
                .rows()
                .forEach(row -> saw(table, row.key().asText(), row.doc()));
        List<String> owned =
                parts.index().owned(type).stream().map(JobId::docId).toList();
        jobs(owned).values().forEach(job -> table.sawJob(job, parts.clock().nanos()));
        return table;
    }

    /** Takes in an event of the feed about a slot or a job. Returns whether there may be more room now. */
    boolean apply(SlotTable table, FeedEvent event) {
        long now = parts.clock().nanos();
        if (event.docId().startsWith(DocIds.SLOT)) {
            ObjectNode document = event.deleted() ? null : event.document();
            return ownSlot(event.docId())
                    .map(name -> table.sawSlot(name, generation(event), slotOf(name, document)))
                    .orElse(false);
        }
        return event.job()
                .filter(parts.store().site()::owns)
                .map(job -> table.sawJob(job, now))
                .orElseGet(() -> table.sawOwner(event.docId(), event.rev(), null, now));
    }

    /**
     * Returns the greatest generation of the slot's leaves. The owner's leaf may have a smaller one than a leaf that
     * was taken back.
     */
    private static long generation(FeedEvent event) {
        return event.leaves().stream().mapToLong(Rev::generation).max().orElse(event.generation());
    }

    /** Returns the slot of an event, when it is taken and belongs to this site. */
    Optional<Slot> slot(FeedEvent event) {
        return event.deleted() || !event.docId().startsWith(DocIds.SLOT)
                ? Optional.empty()
                : ownSlot(event.docId()).map(name -> slotOf(name, event.document()));
    }

    /** Returns the present jobs by document id. */
    Map<String, Job> jobs(List<String> docIds) {
        List<String> wanted =
                docIds.stream().filter(id -> id.startsWith(DocIds.JOB)).toList();
        Map<String, Job> jobs = new HashMap<>();
        for (int i = 0; i < wanted.size(); i += MOST_AT_ONCE) {
            List<String> some = wanted.subList(i, Math.min(wanted.size(), i + MOST_AT_ONCE));
            List<Optional<ObjectNode>> found = parts.store().database().getAll(some);
            found.forEach(document -> document.flatMap(JobDocument::job)
                    .ifPresent(job -> jobs.put(job.id().docId(), job)));
        }
        return jobs;
    }

    /**
     * Finds out whether a slot is in use, that is, whether its claim owns any leaf of its job. If the claim is late,
     * the job is moved to another revision. Then the claim comes too late in any case, and no clock decides.
     *
     * @param job the job that the slot names, as readers see it; null when there is none
     */
    Use use(Slot slot, @Nullable Job job, long nanos) {
        Leaves leaves = leaves(slot, job);
        if (leaves.ownedBy(slot.token()).isPresent()) {
            return Use.OWNED;
        }
        Optional<Job> claimable = leaves.first(leaf -> leaf.rev().equals(Optional.of(slot.claimOn())));
        if (!slot.isLate(nanos)) {
            boolean mayBeClaimed = claimable.isPresent()
                    || leaves.first(leaf -> isBehind(leaf, slot)).isPresent();
            return mayBeClaimed ? Use.CLAIMABLE : Use.UNUSED;
        }
        boolean isTooLate =
                claimable.isEmpty() || parts.store().writer().write(claimable.get()) instanceof WriteResult.Stored;
        return isTooLate ? Use.UNUSED : Use.CLAIMABLE;
    }

    /** Returns whether the copies that were read may not have the revision yet that is to be claimed. */
    private static boolean isBehind(Job leaf, Slot slot) {
        return Fences.generation(leaf) < Rev.generation(slot.claimOn());
    }

    /**
     * Returns the leaves of the slot's job. On a cluster one copy may be behind, and the owner's leaf may not be the
     * leaf that readers see.
     */
    private Leaves leaves(Slot slot, @Nullable Job job) {
        boolean isCertain = !parts.store().isCluster() || (job != null && job.isLockedBy(slot.token()));
        return isCertain ? new Leaves(job == null ? List.of() : List.of(job)) : leaves(slot);
    }

    private Leaves leaves(Slot slot) {
        try {
            return JobId.fromDocId(slot.job()).map(parts.store()::leaves).orElseGet(() -> new Leaves(List.of()));
        } catch (MalformedDocumentException ownedByNobody) {
            return new Leaves(List.of());
        }
    }

    /**
     * Returns the slot of this site with this document id. A slot of another site, replicated here, is neither in use
     * here nor left behind.
     */
    private Optional<SlotName> ownSlot(String docId) {
        return SlotName.parse(docId)
                .filter(name -> Objects.equals(
                        name.limited().site(), parts.store().site().name()));
    }

    private void saw(SlotTable table, String docId, @Nullable JsonNode document) {
        if (document instanceof ObjectNode slot) {
            ownSlot(docId)
                    .ifPresent(
                            name -> table.put(Slot.of(name, slot, parts.clock().nanos())));
        }
    }

    /**
     * Reads all owners of each slot from a majority of the copies. The read also repairs the copies.
     *
     * @return in the same order, the owners; empty for a slot that the server cannot read now
     */
    List<Optional<List<Slot>>> owners(List<SlotName> names) {
        List<String> ids = names.stream().map(SlotName::docId).toList();
        List<Optional<List<Slot>>> owners = new ArrayList<>();
        for (Optional<List<ObjectNode>> leaves : parts.store().database().leavesOfAll(ids)) {
            SlotName name = names.get(owners.size());
            owners.add(leaves.map(read -> read.stream()
                    .filter(leaf -> !leaf.path("_deleted").asBoolean())
                    .map(leaf -> Slot.of(name, leaf, parts.clock().nanos()))
                    .toList()));
        }
        return owners;
    }

    private @Nullable Slot slotOf(SlotName name, @Nullable ObjectNode document) {
        return document == null ? null : Slot.of(name, document, parts.clock().nanos());
    }

    /** The use of a slot. */
    enum Use {
        /** A claim with the slot's token owns the job. */
        OWNED,
        /** The claim may still come. */
        CLAIMABLE,
        /** No claim uses the slot, or ever will. */
        UNUSED
    }
}
