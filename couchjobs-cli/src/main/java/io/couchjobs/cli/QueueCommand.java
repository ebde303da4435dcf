package io.couchjobs.cli;

import io.couchjobs.JobQueue;

/** The base of commands on a queue: first the arguments are checked, then the queue is opened. */
abstract class QueueCommand extends CliCommand {
    /** Throws IllegalArgumentException or CommandException when an argument is wrong. No I/O but on files. */
    void check() {}

    /** {@return whether all that it tells has an id, which {@code -o id} shows} */
    boolean tellsIds() {
        return this instanceof TellsIds;
    }

    abstract ExitCode run(JobQueue queue) throws Exception;

    /** Opens the queue. */
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
