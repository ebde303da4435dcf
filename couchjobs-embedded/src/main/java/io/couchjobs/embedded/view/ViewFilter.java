package io.couchjobs.embedded.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Doc;
import java.util.List;
import java.util.function.Predicate;

/** Uses functions of a design document as filters of documents. */
public final class ViewFilter {
    private ViewFilter() {}

    /** {@return a filter that accepts the documents for which the map function of a view, {@code design/view}, emits a row} */
    public static Predicate<Doc> byView(Database database, String name) {
        DesignDoc design = design(database, name);
        DesignDoc.ViewDef view = design.views().get(design.position(name.substring(name.indexOf('/') + 1)));
        Script script = new Script(design.id(), design.json(), List.of(view.map()));
        return doc -> !doc.node().deleted()
                && !script.map(Json.text(doc.json())).path(0).isEmpty();
    }

    /** {@return a filter that calls the filter function {@code design/filter}} */
    public static Predicate<Doc> byFunction(Database database, String name, JsonNode request) {
        DesignDoc design = design(database, name);
        JsonNode source = design.json().path("filters").path(name.substring(name.indexOf('/') + 1));
        if (!source.isTextual()) {
            throw new CouchError(404, "not_found", "missing json key: filters");
        }
        Script script = new Script(design.id(), design.json(), List.of(source.textValue()));
        return doc -> script.filter(doc.json(), request);
    }

    private static DesignDoc design(Database database, String name) {
        int slash = name.indexOf('/');
        if (slash < 1) {
            throw CouchError.badRequest("filter parameter must be of the form `designname/filtername`");
        }
        return DesignDoc.of(database.live("_design/" + name.substring(0, slash)).orElseThrow(CouchError::missing));
    }
}
