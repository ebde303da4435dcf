package io.couchjobs.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.engine.index.GuardDocument;
import io.couchjobs.job.WriteRefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The permissions in a queue's database. Thread-safe. By default, the server alone decides who may use the database. After {@link
 * #secure}, the database itself refuses writes that a user's {@link Role} does not allow. Securing a database needs an
 * administrator of the database.
 */
public final class QueueSecurity {
    private static final List<String> MEMBERS = List.of(Role.PRODUCER.inCouchDb(), Role.WORKER.inCouchDb());
    private static final List<String> ADMINS = List.of(Role.ADMIN.inCouchDb());

    private final CouchDatabase database;

    /**
     * Creates an object for a queue's database. No I/O.
     *
     * @param database the database
     */
    public QueueSecurity(CouchDatabase database) {
        this.database = database;
    }

    /** {@return the state of the guard} */
    public GuardState guard() {
        return database.get(GuardDocument.DOC_ID)
                .map(stored -> GuardDocument.isCurrent(stored) ? GuardState.CURRENT : GuardState.OTHER)
                .orElse(GuardState.ABSENT);
    }

    /** {@return whether every user of the server may read and write the database} */
    public boolean isOpen() {
        JsonNode members = database.security().path("members");
        return members.path("names").isEmpty() && members.path("roles").isEmpty();
    }

    /** {@return what {@link #secure} would do now, even if the database does not exist yet; nothing is written} */
    public Report preview() {
        if (!database.exists()) {
            return new Report(GuardState.ABSENT, MEMBERS, ADMINS);
        }
        ObjectNode security = database.security();
        return new Report(guard(), addTo(security, "members", MEMBERS), addTo(security, "admins", ADMINS));
    }

    /**
     * Stores the guard, or replaces a guard of another version, and gives the roles access. Users that had access before keep it.
     * Idempotent, and safe while workers run. Users without a role can write nothing from then on.
     *
     * @return a report of what was changed
     * @throws CouchException when the user is not an administrator of the database
     */
    public Report secure() {
        ObjectNode security = database.security();
        List<String> members = addTo(security, "members", MEMBERS);
        List<String> admins = addTo(security, "admins", ADMINS);
        if (!members.isEmpty() || !admins.isEmpty()) {
            database.putSecurity(security);
        }
        return new Report(storeGuard(), members, admins);
    }

    /**
     * Removes the guard. Access to the database does not change.
     *
     * @return false when there was no guard
     */
    public boolean removeGuard() {
        Optional<ObjectNode> stored = database.get(GuardDocument.DOC_ID);
        stored.ifPresent(guard -> write(guard.put("_deleted", true)));
        return stored.isPresent();
    }

    /**
     * Gives a user a role. Creates the user if it does not exist; the server keeps users in its database {@code _users}. The user
     * keeps other roles. Only an administrator of the server may grant roles.
     *
     * @param role the role
     * @param name the user's name
     * @param password supplies the password of a new user; called only if the user does not exist
     * @return the outcome
     * @throws WriteRefusedException when the server refuses the user document
     * @throws CouchException when the server cannot be reached, or does not allow this
     */
    public UserOutcome grant(Role role, String name, Supplier<Secret> password) {
        return new Users(database.server()).grant(role, name, password);
    }

    /**
     * Returns what {@link #grant} would do; nothing is written.
     *
     * @param role the role
     * @param name the user's name
     * @return the outcome that {@link #grant} would have
     */
    public UserOutcome grantPreview(Role role, String name) {
        return new Users(database.server()).preview(role, name);
    }

    private GuardState storeGuard() {
        Optional<ObjectNode> stored = database.get(GuardDocument.DOC_ID);
        ObjectNode wanted = GuardDocument.toDocument();
        stored.ifPresent(guard -> wanted.set("_rev", guard.get("_rev")));
        if (stored.filter(GuardDocument::isCurrent).isEmpty()) {
            write(wanted);
        }
        return stored.map(guard -> GuardDocument.isCurrent(guard) ? GuardState.CURRENT : GuardState.OTHER)
                .orElse(GuardState.ABSENT);
    }

    private void write(ObjectNode guard) {
        if (WriteRefusedException.check(database.put(guard)) instanceof WriteResult.Conflict) {
            throw new CouchJobsException("somebody else changed the guard at this moment; try again");
        }
    }

    private static List<String> addTo(ObjectNode security, String people, List<String> wanted) {
        List<String> added = new ArrayList<>(wanted);
        ArrayNode roles = security.withObject("/" + people).withArray("roles");
        roles.forEach(role -> added.remove(role.asText()));
        added.forEach(roles::add);
        return added;
    }

    /** The states of the guard of a database. */
    public enum GuardState {
        /** There is no guard: every user with access to the database may write anything. */
        ABSENT,
        /** The guard is that of this version of couchjobs. */
        CURRENT,
        /** The guard is that of another version, or has been changed. */
        OTHER
    }

    /**
     * The changes that secure a database. Immutable and thread-safe.
     *
     * @param guardBefore the state of the guard before
     * @param membersAdded the roles that have gained access to the database
     * @param adminsAdded the roles that have become administrators of the database
     */
    public record Report(QueueSecurity.GuardState guardBefore, List<String> membersAdded, List<String> adminsAdded) {
        /**
         * Copies the lists.
         *
         * @param guardBefore the state of the guard before
         * @param membersAdded the roles that have gained access
         * @param adminsAdded the roles that have become administrators
         */
        public Report {
            membersAdded = List.copyOf(membersAdded);
            adminsAdded = List.copyOf(adminsAdded);
        }

        /** {@return whether the guard was stored, or would be stored} */
        public boolean isGuardStored() {
            return guardBefore != QueueSecurity.GuardState.CURRENT;
        }

        /** {@return whether there was nothing to do} */
        public boolean isEmpty() {
            return !isGuardStored() && membersAdded.isEmpty() && adminsAdded.isEmpty();
        }
    }

    /** The outcomes of granting a role to a user. */
    public enum UserOutcome {
        /** The user did not exist and was created with the role. */
        CREATED,
        /** The user exists and was given the role; the password did not change. */
        GRANTED,
        /** The user had the role already. */
        UNCHANGED
    }

    /**
     * The roles of users of a queue. A user may have several roles. A user without a role may only read. Roles apply to the whole
     * server.
     */
    public enum Role {
        /** Creates jobs; changes, cancels and removes jobs without an owner; and asks owners to stop. */
        PRODUCER("couchjobs-producer"),
        /** Claims and runs jobs, expires the claims of dead owners, and creates the jobs of schedules. */
        WORKER("couchjobs-worker"),
        /** Does everything, including settings of types and schedules, and administers the database. */
        ADMIN("couchjobs-admin");

        private final String inCouchDb;

        Role(String inCouchDb) {
            this.inCouchDb = inCouchDb;
        }

        /** {@return the role's name in CouchDB, such as {@code couchjobs-worker}} */
        public String inCouchDb() {
            return inCouchDb;
        }
    }
}
