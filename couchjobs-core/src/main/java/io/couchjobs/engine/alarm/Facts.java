package io.couchjobs.engine.alarm;

import io.couchjobs.admin.History;
import io.couchjobs.job.WorkerInfo;
import io.couchjobs.type.TypeCounts;
import io.couchjobs.type.TypeSettings;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** The sources of the facts that alarm rules need. Each source is read only when a rule needs it. */
public record Facts(
        Supplier<Map<String, TypeCounts>> counts,
        Supplier<Map<String, TypeSettings>> settings,
        Supplier<List<WorkerInfo>> workers,
        Supplier<List<String>> conflicts,
        History history) {}
