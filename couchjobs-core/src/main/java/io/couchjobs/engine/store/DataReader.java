package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.job.AttachedData;
import io.couchjobs.job.Job;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Reads the data that is attached to jobs, on demand: in one request for jobs that were read together, unless they are
 * too large. Windows of candidates and the feed hand out no jobs, and do not use this class. Thread-safe.
 */
public final class DataReader {
    private static final int MOST_JOBS = 100;
    private static final long MOST_BYTES = 4_000_000;

    private final CouchDatabase database;

    public DataReader(CouchDatabase database) {
        this.database = database;
    }

    /** The job, with data that is read on demand. */
    public Job lazily(Job job) {
        return lazily(List.of(job)).get(0);
    }

    /** The jobs, with data that is read on demand, for several jobs together. */
    public List<Job> lazily(List<Job> jobs) {
        List<Job> readable = new ArrayList<>();
        Bundle bundle = new Bundle();
        for (Job job : jobs) {
            if (job.hasAttachedData()) {
                bundle = bundle.hasRoomFor(job) ? bundle : new Bundle();
                readable.add(job.withDataFrom(bundle.add(job)));
            } else {
                readable.add(job);
            }
        }
        return List.copyOf(readable);
    }

    /** Jobs whose data is read together. One thread fills it before others see it. */
    private final class Bundle {
        private final List<Job> jobs = new ArrayList<>();
        private final IdentityHashMap<Job, byte[]> found = new IdentityHashMap<>();
        private final IdentityHashMap<Job, ObjectNode> data = new IdentityHashMap<>();
        private long room = MOST_BYTES;

        boolean hasRoomFor(Job job) {
            return jobs.isEmpty() || (jobs.size() < MOST_JOBS && AttachedData.attachedBytes(job) <= room);
        }

        Supplier<ObjectNode> add(Job job) {
            jobs.add(job);
            room -= AttachedData.attachedBytes(job);
            return () -> read(job);
        }

        /** Data that cannot be read is read again with the next demand: a copy may have been behind. */
        private synchronized ObjectNode read(Job job) {
            ObjectNode known = data.get(job);
            if (known != null) {
                return known;
            }
            if (jobs.size() > 1) {
                readAll();
            }
            byte[] bytes = found.remove(job);
            ObjectNode read = bytes == null ? readAlone(job) : AttachedData.read(job, bytes);
            data.put(job, read);
            return read;
        }

        private void readAll() {
            List<Optional<byte[]>> attachments =
                    database.attachments(jobs.stream().map(Bundle::name).toList(), AttachedData.NAME);
            for (int i = 0; i < attachments.size(); i++) {
                Job job = jobs.get(i);
                attachments.get(i).ifPresent(bytes -> found.put(job, bytes));
            }
            jobs.clear();
        }

        private static ObjectNode name(Job job) {
            return JsonNodeFactory.instance
                    .objectNode()
                    .put("_id", job.id().docId())
                    .put("_rev", job.rev().orElse(""));
        }
    }

    /** A revision that was compacted away may have the same data as the current one: the digest tells. */
    private ObjectNode readAlone(Job job) {
        String docId = job.id().docId();
        Optional<byte[]> bytes = database.attachment(docId, job.rev().orElse(""), AttachedData.NAME)
                .or(() -> database.attachment(docId, AttachedData.NAME)
                        .filter(present -> AttachedData.isOf(job, present)));
        return AttachedData.read(job, bytes.orElse(null));
    }
}
