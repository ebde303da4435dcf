package io.couchjobs.engine.alarm;

import io.couchjobs.admin.History;
import io.couchjobs.job.WorkerInfo;
import io.couchjobs.type.TypeCounts;
import io.couchjobs.type.TypeSettings;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Where the facts are that rules are about; each is asked for when a rule needs it.
 *
 * @param counts the numbers of jobs by type
 * @param settings the settings of types
 * @param workers the workers
 * @param conflicts the ids of documents with conflicts
 * @param history what ran
 */
public record Facts(
        Supplier<Map<String, TypeCounts>> counts,
        Supplier<Map<String, TypeSettings>> settings,
        Supplier<List<WorkerInfo>> workers,
        Supplier<List<String>> conflicts,
        History history) {}
