package io.couchjobs.dashboard.explain;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * One reason why a job does not run, or what it is doing.
 *
 * @param verdict which kind of reason
 * @param because the facts, a sentence without a full stop
 * @param remedy the command that changes it, or what to wait for; {@link #NO_BREAK} is between the words of a command
 */
public record Reason(Verdict verdict, String because, String remedy) {
    /** A no-break space: a command that is broken into lines cannot be pasted. */
    public static final String NO_BREAK = "\u00a0";

    /** {@return the remedy in one line, to be copied} */
    public String line() {
        return remedy.replace(NO_BREAK, " ");
    }

    /** {@return the reason for programs} */
    public ObjectNode json() {
        return JsonNodeFactory.instance
                .objectNode()
                .put("verdict", verdict.json())
                .put("because", because)
                .put("do", line());
    }
}
