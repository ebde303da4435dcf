package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobType;
import io.couchjobs.job.Subscription;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.Worker;
import io.couchjobs.worker.WorkerBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The calls of docs/api-map.md exist. */
class ApiMapTest {
    private static final Map<String, Class<?>> ROOTS = Map.ofEntries(
            Map.entry("queue", JobQueue.class),
            Map.entry("JobQueue", JobQueue.class),
            Map.entry("builder", JobQueueBuilder.class),
            Map.entry("JobType", JobType.class),
            Map.entry("JobRequest", JobRequest.class),
            Map.entry("JobFilter", JobFilter.class),
            Map.entry("AcceptOptions", AcceptOptions.class),
            Map.entry("workers", WorkerBuilder.class),
            Map.entry("worker", Worker.class),
            Map.entry("context", JobContext.class),
            Map.entry("claim", ClaimedJob.class),
            Map.entry("subscription", Subscription.class));
    private static final Pattern CODE = Pattern.compile("`([A-Za-z]+)((?:\\.[a-zA-Z]+\\([^()`]*\\))+)`");
    private static final Pattern CALL = Pattern.compile("\\.([a-zA-Z]+)\\(");

    @Test
    void every_call_on_the_map_is_a_public_method() throws Exception {
        List<String> wrong = new ArrayList<>();
        int calls = 0;
        Matcher code = CODE.matcher(Files.readString(Path.of("../docs/api-map.md")));
        while (code.find()) {
            calls++;
            if (!exists(code.group(1), code.group(2))) {
                wrong.add(code.group());
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(calls).isGreaterThan(60);
    }

    private static boolean exists(String root, String chain) {
        Class<?> type = ROOTS.get(root);
        Matcher call = CALL.matcher(chain);
        while (type != null && call.find()) {
            type = returned(type, call.group(1)).orElse(null);
        }
        return type != null;
    }

    private static Optional<Class<?>> returned(Class<?> type, String method) {
        return Arrays.stream(type.getMethods())
                .filter(candidate -> candidate.getName().equals(method))
                .<Class<?>>map(candidate -> candidate.getReturnType())
                .findFirst();
    }
}
