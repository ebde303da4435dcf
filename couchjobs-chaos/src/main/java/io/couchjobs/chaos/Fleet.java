package io.couchjobs.chaos;

import io.couchjobs.admin.QueueSecurity;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;

/** The workers, creators and readers of a chaos run. Not thread-safe. */
final class Fleet implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 120;

    private final List<Member> workers = new ArrayList<>();
    private final List<Member> creators = new ArrayList<>();
    private final List<Member> readers = new ArrayList<>();

    /**
     * Starts the processes. Each reader uses one node; {@link #seenBy} chooses the nodes of workers and creators.
     *
     * @param databases the URLs of the database at each node
     * @param accounts the accounts with which the processes log in
     */
    Fleet(Options options, List<URI> databases, Accounts accounts, Path folder) throws IOException {
        Random random = new Random(options.seed);
        for (int i = 0; i < options.workers; i++) {
            // The first worker has a fixed id, so that it takes back its jobs after it was killed.
            List<String> id = i == 0 ? List.of("first") : List.of();
            List<URI> urls = accounts.of(QueueSecurity.Role.WORKER, "worker" + i, seenBy(i, databases, options));
            workers.add(new Member(WorkerProcess.class, "worker" + i, urls, folder, random.nextLong(), id));
        }
        for (int i = 0; i < options.readers; i++) {
            List<URI> node = List.of(databases.get(i % databases.size()));
            List<URI> urls = accounts.of(QueueSecurity.Role.PRODUCER, "reader" + i, node);
            readers.add(new Member(ReaderProcess.class, "reader" + i, urls, folder, random.nextLong(), List.of()));
        }
        for (int i = 0; i < options.creators; i++) {
            List<String> arguments = List.of(
                    Long.toString(random.nextLong()),
                    Integer.toString(options.creatorPauseMillis),
                    Integer.toString(options.crowd),
                    Integer.toString(options.items),
                    Integer.toString(options.sources),
                    Integer.toString(options.changes));
            List<URI> urls = accounts.of(QueueSecurity.Role.PRODUCER, "creator" + i, seenBy(i + 1, databases, options));
            creators.add(new Member(CreatorProcess.class, "creator" + i, urls, folder, random.nextLong(), arguments));
        }
    }

    /** {@return the nodes that a member uses: one each if pinned; otherwise, every second member uses all nodes} */
    static List<URI> seenBy(int member, List<URI> databases, Options options) {
        if (options.isPinned) {
            return List.of(databases.get(member % databases.size()));
        }
        return member % 2 == 0 ? databases : List.of(databases.get(member / 2 % databases.size()));
    }

    private Member member(Plan.Step step) {
        return switch (step.fault().target()) {
            case WORKER -> workers.get(step.target());
            case CREATOR -> creators.get(step.target());
            case CONNECTIONS -> all().get(step.target());
            case SERVER -> throw new IllegalArgumentException("a server is no member: " + step);
        };
    }

    void awaitReady() throws InterruptedException {
        for (Member member : all()) {
            member.awaitReady();
        }
    }

    void begin(Plan.Step step) {
        Member member = member(step);
        switch (step.fault()) {
            case KILL_WORKER, KILL_CREATOR -> member.process().kill();
            case FREEZE_WORKER -> member.process().freeze();
            case CLOCK -> member.process().tell(Long.toString(step.amount()));
            case RESET -> member.resetConnections();
            default -> member.trouble().begin(step.fault());
        }
    }

    void end(Plan.Step step) throws IOException {
        Member member = member(step);
        switch (step.fault()) {
            case KILL_WORKER, KILL_CREATOR -> member.restartIfDead();
            case FREEZE_WORKER -> member.process().thaw();
            case CLOCK -> member.process().tell("0");
            case RESET -> {}
            default -> member.trouble().end(step.fault());
        }
    }

    /** Ends all faults, and waits until the creators have ended. */
    void heal() throws IOException, InterruptedException {
        for (Member member : all()) {
            member.heal();
        }
        endAll(creators);
    }

    /** Restarts the workers that have ended, and waits until all are ready. */
    void startWorkers() throws IOException, InterruptedException {
        for (Member worker : workers) {
            worker.restartIfDead();
            worker.awaitReady();
        }
    }

    void endWorkers() throws InterruptedException {
        endAll(workers);
    }

    void endReaders() throws InterruptedException {
        endAll(readers);
    }

    private static void endAll(List<Member> members) throws InterruptedException {
        members.forEach(member -> member.process().close());
        for (Member member : members) {
            member.end(PATIENCE_SECONDS);
        }
    }

    /** {@return the violations by processes that died unexpectedly or did not end in time} */
    List<String> violations() {
        return all().stream().flatMap(member -> member.violations().stream()).toList();
    }

    private List<Member> all() {
        List<Member> all = new ArrayList<>(workers);
        all.addAll(creators);
        all.addAll(readers);
        return all;
    }

    /** {@return how many requests, answers and feeds were hit, by fault of connections} */
    Map<Fault, Long> hits() {
        Map<Fault, Long> hits = new EnumMap<>(Fault.class);
        for (Fault fault : Fault.values()) {
            LongStream each =
                    all().stream().mapToLong(member -> member.trouble().hits(fault));
            hits.put(fault, each.sum());
        }
        hits.values().removeIf(number -> number == 0);
        return hits;
    }

    @Override
    public void close() throws IOException {
        for (Member member : all()) {
            member.close();
        }
    }
}
