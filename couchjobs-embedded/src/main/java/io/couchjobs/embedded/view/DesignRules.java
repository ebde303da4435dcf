package io.couchjobs.embedded.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.CouchError;
import java.util.List;
import java.util.Map;

/** Checks design documents by the same rules as CouchDB, with the same messages. */
final class DesignRules {
    private static final List<String> TEXTS = List.of("language", "validate_doc_update");
    private static final List<String> OBJECTS = List.of("options", "filters", "lists", "shows", "updates", "views");

    private DesignRules() {}

    static void check(ObjectNode design) {
        TEXTS.forEach(name -> requireText(name, design.path(name)));
        OBJECTS.forEach(name -> requireObject(name, design.path(name)));
        boolean compiles = design.path("language").asText("javascript").equals("javascript");
        for (Map.Entry<String, JsonNode> view : design.path("views").properties()) {
            if (!view.getKey().equals("lib")) {
                checkView(view.getKey(), view.getValue(), compiles);
            }
        }
    }

    private static void checkView(String name, JsonNode view, boolean compiles) {
        requireObject("views." + name, view);
        if (!view.has("map")) {
            throw invalid("View `" + name + "` must contain map function");
        }
        requireText("views." + name + ".map", view.path("map"));
        requireText("views." + name + ".reduce", view.path("reduce"));
        if (compiles) {
            compile("map", name, view.path("map").asText());
            checkReduce(name, view.path("reduce").asText("").strip());
        }
    }

    private static void checkReduce(String view, String reduce) {
        if (reduce.startsWith("_")) {
            if (!Reducer.isBuiltIn(reduce)) {
                throw invalid("`" + reduce + "` is not a supported reduce function.");
            }
        } else if (!reduce.isEmpty()) {
            compile("reduce", view, reduce);
        }
    }

    private static void compile(String kind, String view, String source) {
        try {
            Script.check(source);
        } catch (ScriptFailure e) {
            throw new CouchError(
                    400,
                    "compilation_error",
                    "Compilation of the " + kind + " function in the '" + view + "' view failed: " + e.getMessage());
        }
    }

    private static void requireText(String name, JsonNode value) {
        if (!value.isMissingNode() && !value.isTextual()) {
            throw invalid("`" + name + "` field must have string type");
        }
    }

    private static void requireObject(String name, JsonNode value) {
        if (!value.isMissingNode() && !value.isObject()) {
            throw invalid("`" + name + "` field must have object type");
        }
    }

    private static CouchError invalid(String reason) {
        return new CouchError(400, "invalid_design_doc", reason);
    }
}
