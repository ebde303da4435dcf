package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.job.AttachedData;
import io.couchjobs.job.Job;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads the attached data of jobs. Jobs whose data is in the document need no request. Thread-safe. */
final class DataReader {
    private static final int MOST_JOBS = 100;
    private static final long MOST_BYTES = 4_000_000;
    /** A job with more attached data is read in a request of its own. */
    private static final long MOST_BYTES_OF_ONE = 1_000_000;

    private final CouchDatabase database;

    DataReader(CouchDatabase database) {
        this.database = database;
    }

    /**
     * Reads the data of one job. If its revision was compacted away, the data of the present revision is used if the digest
     * is the same.
     */
    Job read(Job job) {
        if (!job.lacksData()) {
            return job;
        }
        String docId = job.id().docId();
        Optional<byte[]> bytes = database.attachment(docId, job.rev().orElse(""), AttachedData.NAME)
                .or(() -> database.attachment(docId, AttachedData.NAME)
                        .filter(present -> AttachedData.isOf(job, present)));
        return AttachedData.read(job, bytes.orElse(null));
    }

    /** Reads the data of several jobs in one request, when the stream reaches the first of them. */
    Stream<Job> read(Stream<Job> jobs) {
        Iterator<Job> source = jobs.iterator();
        return Stream.iterate(bundle(source), bundle -> !bundle.isEmpty(), before -> bundle(source))
                .flatMap(bundle -> readBundle(bundle).stream())
                .onClose(jobs::close);
    }

    private static List<Job> bundle(Iterator<Job> jobs) {
        List<Job> bundle = new ArrayList<>();
        long bytes = 0;
        while (bundle.size() < MOST_JOBS && bytes < MOST_BYTES && jobs.hasNext()) {
            Job job = jobs.next();
            bytes += AttachedData.attachedBytes(job);
            bundle.add(job);
        }
        return bundle;
    }

    private List<Job> readBundle(List<Job> bundle) {
        List<Job> together = bundle.stream().filter(DataReader::isForBundle).toList();
        Iterator<Optional<byte[]>> found = together.size() < 2
                ? Collections.emptyIterator()
                : database.attachments(together.stream().map(DataReader::name).toList(), AttachedData.NAME)
                        .iterator();
        return bundle.stream()
                .map(job -> isForBundle(job) && found.hasNext()
                        ? found.next()
                                .map(bytes -> AttachedData.read(job, bytes))
                                .orElseGet(() -> read(job))
                        : read(job))
                .toList();
    }

    private static boolean isForBundle(Job job) {
        return job.lacksData() && AttachedData.attachedBytes(job) <= MOST_BYTES_OF_ONE;
    }

    private static ObjectNode name(Job job) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("_id", job.id().docId())
                .put("_rev", job.rev().orElse(""));
    }
}
