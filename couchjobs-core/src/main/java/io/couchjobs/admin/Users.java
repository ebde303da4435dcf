package io.couchjobs.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.job.WriteRefusedException;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The users that a server stores in its database {@code _users}. Thread-safe.
 *
 * @see <a href="https://docs.couchdb.org/en/stable/intro/security.html#users-documents">CouchDB: users documents</a>
 */
final class Users {
    private static final String PREFIX = "org.couchdb.user:";
    private static final String ROLES = "roles";

    private final CouchDatabase users;

    /**
     * Creates an object for the users of a server. No I/O.
     *
     * @param server the server; granting roles needs the credentials of an administrator of the server
     */
    Users(CouchServer server) {
        this.users = server.database("_users");
    }

    /** Returns what {@link #grant} would do; nothing is written. */
    QueueSecurity.UserOutcome preview(QueueSecurity.Role role, String name) {
        Optional<ObjectNode> present = users.exists() ? users.get(PREFIX + name) : Optional.empty();
        return present.map(user ->
                        has(role, user) ? QueueSecurity.UserOutcome.UNCHANGED : QueueSecurity.UserOutcome.GRANTED)
                .orElse(QueueSecurity.UserOutcome.CREATED);
    }

    /**
     * Gives a user a role, and creates the user if it does not exist. The user keeps other roles.
     *
     * @param role the role
     * @param name the user's name
     * @param password supplies the password of a new user; called only if the user does not exist
     * @return the outcome
     * @throws WriteRefusedException when the server refuses the user document
     * @throws io.couchjobs.couch.config.CouchException when the server cannot be reached, or does not allow this
     */
    QueueSecurity.UserOutcome grant(QueueSecurity.Role role, String name, Supplier<Secret> password) {
        users.createIfMissing();
        Optional<ObjectNode> present = users.get(PREFIX + name);
        ObjectNode user = present.orElseGet(() -> fresh(name, password.get()));
        if (has(role, user)) {
            return QueueSecurity.UserOutcome.UNCHANGED;
        }
        user.withArray("/" + ROLES).add(role.inCouchDb());
        write(name, user);
        return present.isPresent() ? QueueSecurity.UserOutcome.GRANTED : QueueSecurity.UserOutcome.CREATED;
    }

    private static boolean has(QueueSecurity.Role role, ObjectNode user) {
        for (JsonNode has : user.path(ROLES)) {
            if (has.asText().equals(role.inCouchDb())) {
                return true;
            }
        }
        return false;
    }

    private void write(String name, ObjectNode user) {
        if (WriteRefusedException.check(users.put(user)) instanceof WriteResult.Conflict) {
            throw new CouchJobsException("user " + name + " was changed by somebody else at this moment; try again");
        }
    }

    private static ObjectNode fresh(String name, Secret password) {
        ObjectNode user = JsonNodeFactory.instance.objectNode();
        user.put("_id", PREFIX + name)
                .put("type", "user")
                .put("name", name)
                .put("password", password.reveal())
                .putArray(ROLES);
        return user;
    }
}
