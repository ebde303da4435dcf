package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The user of a request. An anonymous user has no name. */
record User(@Nullable String name, List<String> roles) {
    static final String ADMIN = "_admin";
    /** The user of every request while there are no administrators. */
    static final User ANYBODY = new User(null, List.of(ADMIN));

    static final User NOBODY = new User(null, List.of());

    User {
        roles = List.copyOf(roles);
    }

    boolean isAdmin() {
        return roles.contains(ADMIN);
    }

    void requireAdmin() {
        if (!isAdmin()) {
            throw CouchError.unauthorized("You are not a server admin.");
        }
    }

    /** {@return the error for a user without rights} An anonymous user gets 401 and may log in; any other user gets 403. */
    CouchError refused(String reason) {
        return name == null ? CouchError.unauthorized(reason) : CouchError.forbidden(reason);
    }

    boolean isAdminOf(JsonNode security) {
        return isAdmin() || isIn(security.path("admins"));
    }

    /** Returns whether the user may read a database. A database without named members is open to all users. */
    boolean isMemberOf(JsonNode security) {
        JsonNode members = members(security);
        boolean open = members.path("names").isEmpty() && members.path("roles").isEmpty();
        return open || isAdminOf(security) || isIn(members);
    }

    /** {@return the members of a database, which old versions of CouchDB called readers} */
    static JsonNode members(JsonNode security) {
        return security.path(security.has("members") ? "members" : "readers");
    }

    private boolean isIn(JsonNode people) {
        for (JsonNode one : people.path("names")) {
            if (one.asText().equals(name)) {
                return true;
            }
        }
        for (JsonNode one : people.path("roles")) {
            if (roles.contains(one.asText())) {
                return true;
            }
        }
        return false;
    }

    /** {@return the user context that validation functions get} */
    ObjectNode context(@Nullable String database) {
        ObjectNode context = Json.object();
        if (database != null) {
            context.put("db", database);
        }
        context.put("name", name);
        ArrayNode array = context.putArray("roles");
        roles.forEach(array::add);
        return context;
    }
}
