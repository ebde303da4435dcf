package io.couchjobs.dashboard.failures;

import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The last failure of a job. Immutable.
 *
 * @param id the job
 * @param status whether it has failed for good, or is stuck
 * @param at when it failed; a job that does not say so counts as very old
 * @param message the error message without the parts that differ from job to job
 */
record Failure(JobId id, JobStatus status, Instant at, String message) {
    private static final int LONGEST_MESSAGE = 200;
    private static final int BYTES_OF_A_NAME = 6;
    private static final String VARIES = "#";
    private static final Pattern UUIDS =
            Pattern.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");
    private static final Pattern HASHES = Pattern.compile("\\b(?=[0-9a-fA-F]*[0-9])[0-9a-fA-F]{8,}\\b");
    private static final Pattern NUMBERS = Pattern.compile("\\d+(?:[.,:]\\d+)*");

    static Failure of(Job job) {
        List<JobError> errors = job.errors();
        if (errors.isEmpty()) {
            return new Failure(job.id(), job.status(), job.times().getOrDefault("failed", Instant.EPOCH), "");
        }
        JobError last = errors.get(errors.size() - 1);
        return new Failure(job.id(), job.status(), last.at(), normalised(last.message()));
    }

    /** {@return the name of the group of this failure} */
    String group() {
        return HexFormat.of().formatHex(sha256(id.type() + ":" + message), 0, BYTES_OF_A_NAME);
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException cannotBe) {
            throw new IllegalStateException(cannotBe);
        }
    }

    /** Returns the first line of a message, with # in place of each number, hash and UUID; long lines are cut. */
    static String normalised(String message) {
        String line = message.strip().lines().findFirst().orElse("");
        String same = UUIDS.matcher(line).replaceAll(VARIES);
        same = HASHES.matcher(same).replaceAll(VARIES);
        same = NUMBERS.matcher(same).replaceAll(VARIES);
        return same.length() <= LONGEST_MESSAGE ? same : same.substring(0, LONGEST_MESSAGE) + "...";
    }
}
