package io.couchjobs.chaos;

import io.couchjobs.JobQueue;
import io.couchjobs.JobQueueBuilder;
import io.couchjobs.couch.config.CouchException;
import java.net.URI;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Where a process of a chaos run finds its queue. */
final class Surroundings {
    /** Names the environment variable, which is not seen in lists of processes as arguments are. */
    static final String URLS = "COUCHJOBS_CHAOS_URLS";

    private Surroundings() {}

    /** Opens the queue that the environment names, as soon as its server answers. */
    static JobQueue open(InstantSource clock) throws InterruptedException {
        List<URI> urls = urls();
        while (true) {
            try {
                return builder(urls).clock(clock).open();
            } catch (CouchException away) {
                System.err.println("cannot open the queue yet: " + away.getMessage());
                pass(500);
            }
        }
    }

    /** {@return the database of the queue at each node that this process knows} */
    static List<URI> urls() {
        return Stream.of(Objects.requireNonNull(System.getenv(URLS), URLS).split(" "))
                .map(URI::create)
                .toList();
    }

    static JobQueueBuilder builder(List<URI> urls) {
        JobQueueBuilder builder = JobQueue.builder(urls.get(0));
        urls.stream().skip(1).forEach(builder::url);
        return builder;
    }

    static void pass(long millis) throws InterruptedException {
        boolean unused = new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
    }
}
