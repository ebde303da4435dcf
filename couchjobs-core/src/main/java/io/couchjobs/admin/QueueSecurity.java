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
 * The permissions in a queue's database. Thread-safe. By default it is as open as the server leaves it; {@link #secure} has the
 * database itself refuse what a user's {@link Role} does not cover. To do so takes an administrator of the database.
 */
public final class QueueSecurity {
    private static final List<String> MEMBERS = List.of(Role.PRODUCER.inCouchDb(), Role.WORKER.inCouchDb());
    private static final List<String> ADMINS = List.of(Role.ADMIN.inCouchDb());

    private final CouchDatabase database;

    /**
     * Looks after a queue's database. No I/O.
     *
     * @param database the database
     */
    public QueueSecurity(CouchDatabase database) {
        this.database = database;
    }

    /** {@return how the guard stands} */
    public GuardState guard() {
        return database.get(GuardDocument.DOC_ID)
                .map(stored -> GuardDocument.isCurrent(stored) ? GuardState.CURRENT : GuardState.OTHER)
                .orElse(GuardState.ABSENT);
    }

    /** {@return whether everybody whom the server lets in may read and write the database} */
    public boolean isOpen() {
        JsonNode members = database.security().path("members");
        return members.path("names").isEmpty() && members.path("roles").isEmpty();
    }

    /** {@return what {@link #secure} would do now, also where the database is still to be created; nothing is written} */
    public Report preview() {
        if (!database.exists()) {
            return new Report(GuardState.ABSENT, MEMBERS, ADMINS);
        }
        ObjectNode security = database.security();
        return new Report(guard(), addTo(security, "members", MEMBERS), addTo(security, "admins", ADMINS));
    }

    /**
     * Stores the guard, or replaces one of another version, and lets the roles in. Users that were let in before stay.
     * Idempotent, and safe while workers run; those without a role can write nothing from then on.
     *
     * @return what was missing
     * @throws CouchException when the user may not do this: an administrator of the database may
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
     * Takes the guard away; who is let into the database stays as it is.
     *
     * @return false when there was none
     */
    public boolean removeGuard() {
        Optional<ObjectNode> stored = database.get(GuardDocument.DOC_ID);
        stored.ifPresent(guard -> write(guard.put("_deleted", true)));
        return stored.isPresent();
    }

    /**
     * Gives somebody a role. Creates the user if there is none; the server keeps users in its database {@code _users}. Other
     * roles of the user stay. Only an administrator of the server may do so.
     *
     * @param role the role
     * @param name the user's name
     * @param password the password of a new user; asked only when there is no such user
     * @return what was done
     * @throws WriteRefusedException when the server does not take the user
     * @throws CouchException when the server cannot be asked, or not by this user
     */
    public UserOutcome grant(Role role, String name, Supplier<Secret> password) {
        return new Users(database.server()).grant(role, name, password);
    }

    /**
     * Previews {@link #grant}; nothing is written.
     *
     * @param role the role
     * @param name the user's name
     * @return what would be done
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

    /** How the guard of a database stands. */
    public enum GuardState {
        /** There is none: everybody who may write to the database may write anything. */
        ABSENT,
        /** The one of this version of couchjobs is there. */
        CURRENT,
        /** One of another version is there, or one that somebody changed. */
        OTHER
    }

    /**
     * The changes that secure a database. Immutable and thread-safe.
     *
     * @param guardBefore how the guard stood
     * @param membersAdded the roles that may read and write the database now, and could not before
     * @param adminsAdded the roles that administrate the database now, and did not before
     */
    public record Report(QueueSecurity.GuardState guardBefore, List<String> membersAdded, List<String> adminsAdded) {
        /**
         * Takes copies.
         *
         * @param guardBefore how the guard stood
         * @param membersAdded roles
         * @param adminsAdded roles
         */
        public Report {
            membersAdded = List.copyOf(membersAdded);
            adminsAdded = List.copyOf(adminsAdded);
        }

        /** {@return whether the guard was stored, or would be} */
        public boolean isGuardStored() {
            return guardBefore != QueueSecurity.GuardState.CURRENT;
        }

        /** {@return whether there was nothing to do} */
        public boolean isEmpty() {
            return !isGuardStored() && membersAdded.isEmpty() && adminsAdded.isEmpty();
        }
    }

    /** The outcome of a request for a user with a role. */
    public enum UserOutcome {
        /** There was no such user. */
        CREATED,
        /** The user has the role now; the password is what it was. */
        GRANTED,
        /** The user had the role. */
        UNCHANGED
    }

    /** The role of a user of a queue. A user may have several roles, and without one may only read. Roles hold for the whole server. */
    public enum Role {
        /** Creates jobs, changes, cancels and removes those that nobody owns, and asks owners to stop. */
        PRODUCER("couchjobs-producer"),
        /** Claims jobs and runs them, takes jobs back from dead owners, and makes the jobs of schedules. */
        WORKER("couchjobs-worker"),
        /** Does everything, settings of types and schedules included, and administrates the database. */
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
