package io.couchjobs;

import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.NoTypeTimeoutException;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Which types may be added: in a strict queue those that have a timeout, otherwise all. Thread-safe. */
final class TypeRule {
    private final SettingsStore settings;
    private final boolean strict;

    TypeRule(SettingsStore settings, boolean strict) {
        this.settings = settings;
        this.strict = strict;
    }

    /** The remembered settings may be old, so they are read again before a type is refused. */
    boolean isAllowed(String type) {
        return !strict
                || settings.get(type).timeout().isPresent()
                || settings.read(type).timeout().isPresent();
    }

    void require(JobRequest request) {
        if (!isAllowed(request.id().type())) {
            throw new NoTypeTimeoutException(request.id().type());
        }
    }

    /** Creates those whose types are allowed, and rejects the others, in their places. */
    List<AddResult> allowed(List<JobRequest> requests, Function<List<JobRequest>, List<AddResult>> create) {
        Set<String> allowed = requests.stream()
                .map(request -> request.id().type())
                .distinct()
                .filter(this::isAllowed)
                .collect(Collectors.toSet());
        List<JobRequest> good = requests.stream()
                .filter(request -> allowed.contains(request.id().type()))
                .toList();
        Iterator<AddResult> created = create.apply(good).iterator();
        return requests.stream()
                .map(request -> allowed.contains(request.id().type()) ? created.next() : rejected(request))
                .toList();
    }

    private static AddResult rejected(JobRequest request) {
        return AddResult.rejected(
                request.id(), NoTypeTimeoutException.message(request.id().type()));
    }
}
