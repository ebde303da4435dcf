package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.job.JobStatus;
import java.util.OptionalLong;

/**
 * A finished job, as in a row of the index. Immutable and thread-safe.
 *
 * @param rev the revision from which the row was built
 * @param fence the fence of its last claim; empty when the row has none
 * @param key the key of the row
 */
public record FinishedJob(String docId, String rev, JobStatus status, OptionalLong fence, JsonNode key) {}
