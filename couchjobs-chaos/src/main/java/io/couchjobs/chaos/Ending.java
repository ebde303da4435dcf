package io.couchjobs.chaos;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.MalformedDocumentException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The contents of the databases after all processes have ended. Immutable.
 *
 * @param documents all documents, each with its {@code _conflicts}, if any
 * @param counts the numbers of jobs in the index, by type and status
 * @param changed the documents of source databases that changed repeatedly
 * @param isCluster whether the server keeps several copies of each document; some promises are then weaker
 */
record Ending(
        List<ObjectNode> documents,
        Map<String, Map<JobStatus, Long>> counts,
        List<Changed> changed,
        boolean isCluster) {
    /**
     * A document from which triggers make jobs.
     *
     * @param id the document's id
     * @param rev the winning revision
     * @param others the other leaves
     * @param by the program that saved the winning revision
     */
    record Changed(String id, String rev, List<String> others, String by) {
        List<String> leaves() {
            return Stream.concat(Stream.of(rev), others.stream()).toList();
        }

        /** {@return the minimum number of times that the document was saved} */
        long saves() {
            return Long.parseLong(rev.substring(0, rev.indexOf('-')));
        }
    }

    boolean hasConflicts() {
        return documents.stream()
                .anyMatch(document -> !document.path("_conflicts").isEmpty());
    }

    /** {@return the jobs, by document id} */
    Map<String, Job> jobs() {
        Map<String, Job> jobs = new TreeMap<>();
        jobDocuments().forEach(document -> parse(document)
                .ifPresent(job -> jobs.put(job.id().docId(), job)));
        return jobs;
    }

    /** {@return the documents with a job's id that are not valid jobs} */
    List<ObjectNode> malformed() {
        return jobDocuments().filter(document -> parse(document).isEmpty()).toList();
    }

    private Stream<ObjectNode> jobDocuments() {
        return documents.stream()
                .filter(document -> document.path("_id").asText().startsWith(DocIds.JOB));
    }

    private static Optional<Job> parse(ObjectNode document) {
        try {
            return Optional.of(Job.parse(document));
        } catch (MalformedDocumentException malformed) {
            return Optional.empty();
        }
    }

    /** {@return the claim that the result of a job names} */
    static Optional<Work.Claim> claimOfResult(Job job) {
        return job.result()
                .map(result -> new Work.Claim(
                        result.path("token").asText(), result.path("fence").asLong()));
    }
}
