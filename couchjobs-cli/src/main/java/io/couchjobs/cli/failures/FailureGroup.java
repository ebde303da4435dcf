package io.couchjobs.cli.failures;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * Jobs of one type whose last error says the same, numbers and ids aside. Immutable.
 *
 * @param type the type
 * @param message the error without what differs from job to job
 * @param failed how many have failed for good
 * @param stuck how many are to be retried
 * @param first when the first of them failed last
 * @param last when the last of them failed last
 * @param example the one that failed last
 */
public record FailureGroup(
        String type, String message, long failed, long stuck, Instant first, Instant last, JobId example) {
    private static final int LONGEST_MESSAGE = 200;
    private static final String VARIES = "#";
    private static final Pattern UUIDS =
            Pattern.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");
    private static final Pattern HASHES = Pattern.compile("\\b(?=[0-9a-fA-F]*[0-9])[0-9a-fA-F]{8,}\\b");
    private static final Pattern NUMBERS = Pattern.compile("\\d+(?:[.,:]\\d+)*");

    static FailureGroup of(Job job) {
        Instant at = at(job);
        boolean isStuck = job.status() == JobStatus.STUCK;
        return new FailureGroup(job.type(), message(job), isStuck ? 0 : 1, isStuck ? 1 : 0, at, at, job.id());
    }

    FailureGroup plus(FailureGroup other) {
        boolean isLater = other.last.isAfter(last);
        return new FailureGroup(
                type,
                message,
                failed + other.failed,
                stuck + other.stuck,
                other.first.isBefore(first) ? other.first : first,
                isLater ? other.last : last,
                isLater ? other.example : example);
    }

    /** {@return how many jobs are in it} */
    public long count() {
        return failed + stuck;
    }

    /** {@return its name: eight digits that depend on type and message alone} */
    public String id() {
        CRC32 checksum = new CRC32();
        checksum.update((type + ":" + message).getBytes(StandardCharsets.UTF_8));
        return String.format("%08x", checksum.getValue());
    }

    /** {@return the group for programs} */
    public ObjectNode json() {
        return JsonNodeFactory.instance
                .objectNode()
                .put("group", id())
                .put("type", type)
                .put("message", message)
                .put("count", count())
                .put("failed", failed)
                .put("stuck", stuck)
                .put("first", first.toString())
                .put("last", last.toString())
                .put("example", example.id());
    }

    /** When a job failed last; a job that does not say so counts as very old. */
    static Instant at(Job job) {
        List<JobError> errors = job.errors();
        return errors.isEmpty()
                ? job.times().getOrDefault("failed", Instant.EPOCH)
                : errors.get(errors.size() - 1).at();
    }

    private static String message(Job job) {
        List<JobError> errors = job.errors();
        return errors.isEmpty() ? "" : normalised(errors.get(errors.size() - 1).message());
    }

    /** The first line, with a sign in place of each number, hash and UUID. */
    static String normalised(String message) {
        String line = message.strip().lines().findFirst().orElse("");
        String same = UUIDS.matcher(line).replaceAll(VARIES);
        same = HASHES.matcher(same).replaceAll(VARIES);
        same = NUMBERS.matcher(same).replaceAll(VARIES);
        return same.length() <= LONGEST_MESSAGE ? same : same.substring(0, LONGEST_MESSAGE) + "...";
    }
}
