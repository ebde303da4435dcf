package io.couchjobs.engine.store;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** The workers of a process that cannot claim jobs at the moment, with the reasons. Thread-safe. */
public final class ClaimTroubles {
    private final Map<String, String> byWorker = new ConcurrentHashMap<>();

    ClaimTroubles() {}

    public void failed(String worker, Throwable trouble) {
        byWorker.put(worker, trouble.getMessage() == null ? trouble.toString() : trouble.getMessage());
    }

    public void over(String worker) {
        byWorker.remove(worker);
    }

    /** {@return by worker, why its last attempt to claim jobs failed; without workers whose last attempt succeeded} */
    public Map<String, String> byWorker() {
        return new TreeMap<>(byWorker);
    }
}
