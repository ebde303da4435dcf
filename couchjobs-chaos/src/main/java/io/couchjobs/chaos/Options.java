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
    int seconds = 60;

    @Option(
            names = "--seed",
            description = "seed of the plan of faults (by the clock); several runs take the next ones")
    long seed = System.currentTimeMillis() % 1_000_000;

    @Option(names = "--runs", description = "how many runs, one after the other (${DEFAULT-VALUE})")
    int runs = 1;

    @Option(names = "--workers", description = "how many worker processes (${DEFAULT-VALUE})")
    int workers = 3;

    @Option(names = "--creators", description = "how many creator processes (${DEFAULT-VALUE})")
    int creators = 2;

    @Option(
            names = "--readers",
            description = "how many processes follow all jobs, each at one node (${DEFAULT-VALUE})")
    int readers = 1;

    @Option(names = "--pinned", description = "have every process ask one node, also those that otherwise ask all")
    boolean isPinned;

    @Option(
            names = "--pause",
            description = "the time between two faults in milliseconds, on average (${DEFAULT-VALUE})")
    int pauseMillis = 1_100;

    @Option(
            names = "--creator-pause",
            description = "the time between two deeds of a creator in milliseconds, on average (${DEFAULT-VALUE})")
    int creatorPauseMillis = 250;

    @Option(
            names = "--crowd",
            description =
                    "how many short jobs each bulk of a creator has besides its six of all kinds (${DEFAULT-VALUE})")
    int crowd = 0;

    @Option(
            names = "--items",
            description = "how many items the arrays of creators have; 0 is no arrays (${DEFAULT-VALUE})")
    int items = 0;

    @Option(
            names = "--sources",
            description =
                    "in how many other databases creators save documents that a trigger follows, beside all else; 0 is none"
                            + " (${DEFAULT-VALUE})")
    int sources = 0;

    @Option(
            names = "--changes",
            description =
                    "how many changes of documents that change again and again a creator saves there with each of its deeds, by Java,"
                            + " curl and PouchDB in turn; 0 is none (${DEFAULT-VALUE})")
    int changes = 0;

    @Option(names = "--folder", description = "for journals and logs (${DEFAULT-VALUE})")
    Path folder = Path.of("target", "chaos");

    @Option(
            names = "--secure",
            description =
                    "have the database refuse what a user's role does not cover, with a user for each process; on a server of"
                            + " yours these users exist for the time of the run")
    boolean isSecured;

    @Option(
            names = "--url",
            description =
                    "a server such as http://admin:secret@127.0.0.1:5984, or several times the nodes of a cluster; without it an"
                            + " embedded server is started")
    List<URI> nodes = List.of();

    @Option(names = "--help", usageHelp = true, description = "show this help")
    boolean isHelp;

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
}
