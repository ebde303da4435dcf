package io.couchjobs.embedded.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Doc;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * The views of a design document.
 *
 * @param signature a hash of the views and options, which names the index; documents with equal views share it
 */
record DesignDoc(String id, ObjectNode json, List<ViewDef> views, String signature) {
    record ViewDef(String name, String map, String reduce) {}

    static DesignDoc of(Doc doc) {
        ObjectNode json = doc.json();
        return new DesignDoc(doc.id(), json, views(json), signature(json));
    }

    private static List<ViewDef> views(ObjectNode json) {
        List<ViewDef> views = new ArrayList<>();
        for (Map.Entry<String, JsonNode> view : json.path("views").properties()) {
            if (view.getValue().path("map").isTextual()) {
                String reduce = view.getValue().path("reduce").asText("");
                views.add(new ViewDef(view.getKey(), view.getValue().path("map").textValue(), reduce.strip()));
            }
        }
        return List.copyOf(views);
    }

    private static String signature(ObjectNode json) {
        ObjectNode relevant = Json.object();
        relevant.set("views", json.path("views"));
        relevant.set("options", json.path("options"));
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(Json.bytes(relevant)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has MD5", e);
        }
    }

    boolean includesDesignDocs() {
        return json.path("options").path("include_design").booleanValue();
    }

    List<String> maps() {
        return views.stream().map(ViewDef::map).toList();
    }

    /** {@return the part of the design document that map functions may require: the library of the views} */
    ObjectNode library() {
        ObjectNode library = Json.object();
        library.putObject("views").set("lib", json.path("views").path("lib"));
        return library;
    }

    int position(String view) {
        for (int i = 0; i < views.size(); i++) {
            if (views.get(i).name().equals(view)) {
                return i;
            }
        }
        throw new CouchError(404, "not_found", "missing_named_view");
    }
}
