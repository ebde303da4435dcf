package io.couchjobs.cli.doctor;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchException;
import java.util.Locale;

/**
 * The finding of a check. Immutable and thread-safe.
 *
 * @param level how bad it is
 * @param what what was found
 * @param consequence what comes of it; empty when all is well
 * @param remedy what to do; empty when all is well
 */
public record Finding(Level level, String what, String consequence, String remedy) {
    /** How bad it is. */
    public enum Level {
        /** As it should be. */
        OK,
        /** Something to know; nothing is broken. */
        NOTE,
        /** Something to be put right. */
        PROBLEM
    }

    static Finding fine(String what) {
        return new Finding(Level.OK, what, "", "");
    }

    static Finding note(String what, String consequence, String remedy) {
        return new Finding(Level.NOTE, what, consequence, remedy);
    }

    static Finding problem(String what, String consequence, String remedy) {
        return new Finding(Level.PROBLEM, what, consequence, remedy);
    }

    /** Turns a failure of the server into a problem: one check that fails does not keep the others from looking. */
    static Finding untold(CouchException e) {
        return problem(
                String.valueOf(e.getMessage()),
                "this check could not be made",
                e.status() == 401 || e.status() == 403
                        ? "ask as a user who may read the database"
                        : "see the server's log");
    }

    /** {@return whether something is to be put right} */
    public boolean isProblem() {
        return level == Level.PROBLEM;
    }

    /**
     * {@return the finding as JSON}
     *
     * @param check the name of the check
     */
    public ObjectNode json(String check) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("check", check)
                .put("level", level.name().toLowerCase(Locale.ROOT))
                .put("finding", what);
        if (level != Level.OK) {
            json.put("consequence", consequence).put("remedy", remedy);
        }
        return json;
    }
}
