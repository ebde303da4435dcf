package io.couchjobs.dashboard.explain;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * One reason why a job does not run, or what it is doing.
 *
 * @param verdict which kind of reason
 * @param because the facts, a sentence without a full stop
 * @param remedy the command that changes it, or what to wait for
 */
public record Reason(Verdict verdict, String because, String remedy) {
    /** {@return the reason for programs} */
    public ObjectNode json() {
        return JsonNodeFactory.instance
                .objectNode()
                .put("verdict", verdict.json())
                .put("because", because)
                .put("do", remedy);
    }
}
