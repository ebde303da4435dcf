package io.couchjobs.chaos;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The length of a chaos run, and its processes and faults. Not thread-safe. */
@Command(
        name = ".ci/chaos",
        sortOptions = false,
        description =
                "Kills, freezes and cuts off workers, creators, readers and their server, and proves that the queue kept its"
                        + " promises.",
        footer = {
            "",
            "A server of yours is stopped, frozen or cut off by commands of the environment, to which the number of a node from 1 on"
                    + " is appended: COUCHJOBS_NODE_STOP and _START, _FREEZE and _THAW, _CUT and _HEAL, _ONEWAY and _HEAL, _WIPE and"
                    + " _START. A fault whose commands are missing is left out.",
            "Ends with 1 when a promise was broken or a fault could not be done."
        })
final class Options {
    @Option(
            names = "--seconds",
            description = "how long there are faults (${DEFAULT-VALUE}); the jobs need some time after that")
    private int seconds = 60;

    @Option(
            names = "--seed",
            description = "seed of the plan of faults (by the clock); several runs take the next ones")
    private long seed = System.currentTimeMillis() % 1_000_000;

    @Option(names = "--runs", description = "how many runs, one after the other (${DEFAULT-VALUE})")
    private int runs = 1;

    @Option(names = "--workers", description = "how many worker processes (${DEFAULT-VALUE})")
    private int workers = 3;

    @Option(names = "--creators", description = "how many creator processes (${DEFAULT-VALUE})")
    private int creators = 2;

    @Option(
            names = "--readers",
            description = "how many processes follow all jobs, each at one node (${DEFAULT-VALUE})")
    private int readers = 1;

    @Option(names = "--pinned", description = "have every process ask one node, also those that otherwise ask all")
    private boolean isPinned;

    @Option(
            names = "--pause",
            description = "the time between two faults in milliseconds, on average (${DEFAULT-VALUE})")
    private int pauseMillis = 1_100;

    @Option(
            names = "--creator-pause",
            description = "the time between two deeds of a creator in milliseconds, on average (${DEFAULT-VALUE})")
    private int creatorPauseMillis = 250;

    @Option(
            names = "--crowd",
            description =
                    "how many short jobs each bulk of a creator has besides its six of all kinds (${DEFAULT-VALUE})")
    private int crowd = 0;

    @Option(
            names = "--items",
            description = "how many items the arrays of creators have; 0 is no arrays (${DEFAULT-VALUE})")
    private int items = 0;

    @Option(
            names = "--sources",
            description =
                    "in how many other databases creators save documents that a trigger follows, beside all else; 0 is none"
                            + " (${DEFAULT-VALUE})")
    private int sources = 0;

    @Option(
            names = "--changes",
            description =
                    "how many changes of documents that change again and again a creator saves there with each of its deeds, by Java,"
                            + " curl and PouchDB in turn; 0 is none (${DEFAULT-VALUE})")
    private int changes = 0;

    @Option(names = "--folder", description = "for journals and logs (${DEFAULT-VALUE})")
    private Path folder = Path.of("target", "chaos");

    @Option(
            names = "--secure",
            description =
                    "have the database refuse what a user's role does not cover, with a user for each process; on a server of"
                            + " yours these users exist for the time of the run")
    private boolean isSecured;

    @Option(
            names = "--url",
            description =
                    "a server such as http://admin:secret@127.0.0.1:5984, or several times the nodes of a cluster; without it an"
                            + " embedded server is started")
    private List<URI> nodes = List.of();

    @Option(names = "--help", usageHelp = true, description = "show this help")
    private boolean isHelp;

    static Options standard(long seed) {
        return new Options().seed(seed);
    }

    /**
     * Reads arguments.
     *
     * @throws CommandLine.ParameterException when one is unknown or has a wrong value
     */
    static Options parse(List<String> arguments) {
        Options options = new Options();
        new CommandLine(options).parseArgs(arguments.toArray(new String[0]));
        return options;
    }

    int seconds() {
        return seconds;
    }

    long seed() {
        return seed;
    }

    int runs() {
        return runs;
    }

    int workers() {
        return workers;
    }

    int creators() {
        return creators;
    }

    int readers() {
        return readers;
    }

    int pauseMillis() {
        return pauseMillis;
    }

    int creatorPauseMillis() {
        return creatorPauseMillis;
    }

    int crowd() {
        return crowd;
    }

    int items() {
        return items;
    }

    int sources() {
        return sources;
    }

    int changes() {
        return changes;
    }

    Path folder() {
        return folder;
    }

    boolean isPinned() {
        return isPinned;
    }

    boolean isSecured() {
        return isSecured;
    }

    boolean isHelp() {
        return isHelp;
    }

    /** {@return the servers to use, credentials included; none for an embedded one} */
    List<URI> nodes() {
        return List.copyOf(nodes);
    }

    Options secured() {
        isSecured = true;
        return this;
    }

    Options items(int ofAnArray) {
        items = ofAnArray;
        return this;
    }

    Options sources(int databases) {
        sources = databases;
        return this;
    }

    Options changes(int ofADeed) {
        changes = ofADeed;
        return this;
    }

    Options pinned() {
        isPinned = true;
        return this;
    }

    Options seconds(int some) {
        seconds = some;
        return this;
    }

    Options seed(long first) {
        seed = first;
        return this;
    }

    Options folder(Path other) {
        folder = other;
        return this;
    }
}
