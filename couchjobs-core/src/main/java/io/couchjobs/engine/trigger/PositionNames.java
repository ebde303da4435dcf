package io.couchjobs.engine.trigger;

/**
 * The names of documents that stand beside the positions of a trigger's databases. Each begins with a character that no database's name has.
 * Stateless.
 */
final class PositionNames {
    /** The position in the queue's own database, where the ends of jobs are read. */
    static final String ENDS = "~ends";

    /** A document that names a pattern. While it is there, the databases of that pattern have their positions. */
    static final String STARTED = "~started";

    /** Before the name of a source: the document holds its problem. */
    static final String TROUBLE = "~trouble:";

    private PositionNames() {}

    /** Whether a name is that of a database. */
    static boolean isDatabase(String name) {
        return !name.startsWith("~");
    }
}
