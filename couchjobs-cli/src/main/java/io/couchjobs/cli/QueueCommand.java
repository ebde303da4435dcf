package io.couchjobs.cli;

import io.couchjobs.JobQueue;

/** The base class of commands on a queue. It checks the arguments first, and then opens the queue. */
abstract class QueueCommand extends CliCommand {
    /**
     * Checks the arguments. Throws IllegalArgumentException or CommandException when one is wrong. Performs no I/O except on
     * files.
     */
    void check() {}

    /** {@return whether all results of the command have an id, which {@code -o id} shows} */
    boolean tellsIds() {
        return this instanceof TellsIds;
    }

    abstract ExitCode run(JobQueue queue) throws Exception;

    JobQueue open(Session session) {
        return session.queue();
    }

    @Override
    public final Integer call() throws Exception {
        root().checkOutput(tellsIds());
        check();
        try (Session session = this instanceof CreatesStore ? Session.open(root()) : Session.openExisting(root());
                JobQueue queue = open(session)) {
            return run(queue).number();
        }
    }
}
