package io.couchjobs.chaos;

import java.net.URI;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/**
 * How long a chaos run lasts, and of what it consists.
 *
 * @param seconds how long there are faults
 * @param seed of the first run; each further one has the next
 * @param runs how many
 * @param workers how many worker processes
 * @param creators how many creator processes
 * @param pauseMillis the time between two faults, on average
 * @param folder where journals and logs go
 * @param isSecured whether the database refuses what a user's role does not cover, and each process has a user of its own
 * @param nodes the servers to use, credentials included; none for an embedded one
 */
record Options(
        int seconds,
        long seed,
        int runs,
        int workers,
        int creators,
        int pauseMillis,
        Path folder,
        boolean isSecured,
        List<URI> nodes) {
    static final String USAGE = """
            Usage: .ci/chaos [--seconds N] [--seed N] [--runs N] [--workers N] [--creators N] [--pause MILLIS]
                             [--folder FOLDER] [--secure] [--url URL]...
              --seconds   how long there are faults (60); the jobs may need some time after that
              --seed      of the plan of faults (by the clock); several runs take the next ones
              --runs      how many runs, one after the other (1)
              --workers   how many worker processes (3)
              --creators  how many creator processes (2)
              --pause     the time between two faults in milliseconds, on average (1100)
              --folder    for journals and logs (target/chaos)
              --secure    have the database refuse what a user's role does not cover, with a user for each process; on a
                          server of yours these users are there for the time of the run
              --url       a server such as http://admin:secret@127.0.0.1:5984, or many times the nodes of a cluster; without
                          it an embedded server is started. Of these commands, the number of a node from 1 on is appended:
                          COUCHJOBS_NODE_STOP and _START, COUCHJOBS_NODE_FREEZE and _THAW, COUCHJOBS_NODE_CUT and _HEAL
            """;

    static Options standard(long seed) {
        return new Options(60, seed, 1, 3, 2, 1_100, Path.of("target", "chaos"), false, List.of());
    }

    /**
     * Reads arguments.
     *
     * @throws IllegalArgumentException when one is not known, or is no number
     */
    static Options parse(List<String> arguments) {
        Options options = standard(System.currentTimeMillis() % 1_000_000);
        Iterator<String> words = arguments.iterator();
        while (words.hasNext()) {
            String name = words.next();
            if (name.equals("--secure")) {
                options = options.secured();
            } else if (words.hasNext()) {
                options = options.with(name, words.next());
            } else {
                throw new IllegalArgumentException("there is nothing after " + name);
            }
        }
        return options;
    }

    private Options with(String name, String value) {
        return switch (name) {
            case "--seconds" -> withSeconds(Integer.parseInt(value));
            case "--seed" -> withSeed(Long.parseLong(value));
            case "--runs" ->
                new Options(
                        seconds,
                        seed,
                        Integer.parseInt(value),
                        workers,
                        creators,
                        pauseMillis,
                        folder,
                        isSecured,
                        nodes);
            case "--workers" ->
                new Options(
                        seconds, seed, runs, Integer.parseInt(value), creators, pauseMillis, folder, isSecured, nodes);
            case "--creators" ->
                new Options(
                        seconds, seed, runs, workers, Integer.parseInt(value), pauseMillis, folder, isSecured, nodes);
            case "--pause" ->
                new Options(seconds, seed, runs, workers, creators, Integer.parseInt(value), folder, isSecured, nodes);
            case "--folder" -> withFolder(Path.of(value));
            case "--url" -> {
                List<URI> more = Stream.concat(nodes.stream(), Stream.of(URI.create(value)))
                        .toList();
                yield new Options(seconds, seed, runs, workers, creators, pauseMillis, folder, isSecured, more);
            }
            default -> throw new IllegalArgumentException("there is no option " + name);
        };
    }

    Options secured() {
        return new Options(seconds, seed, runs, workers, creators, pauseMillis, folder, true, nodes);
    }

    Options withSeconds(int newSeconds) {
        return new Options(newSeconds, seed, runs, workers, creators, pauseMillis, folder, isSecured, nodes);
    }

    Options withSeed(long newSeed) {
        return new Options(seconds, newSeed, runs, workers, creators, pauseMillis, folder, isSecured, nodes);
    }

    Options withFolder(Path newFolder) {
        return new Options(seconds, seed, runs, workers, creators, pauseMillis, newFolder, isSecured, nodes);
    }
}
