package io.couchjobs.dashboard.explain;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.stream.Stream;

/**
 * One reason why a job does not run, or what it is doing.
 *
 * @param verdict the kind of reason
 * @param because the facts, a sentence without a full stop
 * @param remedy the command that changes it, or what to wait for; {@link #NO_BREAK} separates the words of a command
 */
public record Reason(Verdict verdict, String because, String remedy) {
    /** A no-break space. It keeps a command in one line, so that it can be pasted. */
    public static final String NO_BREAK = "\u00a0";

    /** {@return the remedy with ordinary spaces, to be copied} */
    public String line() {
        return remedy.replace(NO_BREAK, " ");
    }

    /**
     * {@return the commands that the remedy names, ready to be typed; in the command that starts a worker, COMMAND stands for the
     * program}
     */
    public List<String> commands() {
        return Stream.of(remedy.split(" "))
                .filter(words -> words.startsWith("couchjobs" + NO_BREAK))
                .map(words -> words.replaceFirst(";$", "").replace(NO_BREAK, " "))
                .toList();
    }

    /** {@return the reason as JSON for programs} */
    public ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("verdict", verdict.json())
                .put("because", because)
                .put("do", line());
        ArrayNode all = json.putArray("commands");
        commands().forEach(all::add);
        return json;
    }
}
