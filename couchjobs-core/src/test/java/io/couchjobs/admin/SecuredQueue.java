package io.couchjobs.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.JobQueueBuilder;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.embedded.junit.TestServer;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.OneCopy;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A secured database with users of its own, on the server of the tests, or where that knows no users on one beside it. */
final class SecuredQueue implements AutoCloseable {
    static final Secret PASSWORD = Secret.of("a password for tests");

    private final @Nullable EmbeddedCouch embedded;
    private final OneCopy oneCopy;
    private final URI url;
    private final Auth root;
    private final List<JobQueue> opened = new ArrayList<>();
    private final List<String> users = new ArrayList<>();
    private final JobQueue admin;

    SecuredQueue(TestDatabase own) {
        oneCopy = new OneCopy(own);
        TestDatabase database = oneCopy.database();
        boolean hasUsers = database.user().isPresent();
        embedded = hasUsers
                ? null
                : EmbeddedCouch.inMemory().admin("root", "secret").start();
        url = embedded == null ? database.url() : embedded.url().resolve("/secured");
        root = embedded == null
                ? new Auth.Basic(
                        database.user().orElseThrow(),
                        Secret.of(database.password().orElseThrow()))
                : new Auth.Basic("root", Secret.of("secret"));
        admin = open(root);
        admin.operations().security().secure();
    }

    /** As the administrator of the server. */
    JobQueue root() {
        return admin;
    }

    /** The name of a new user. */
    String user(QueueSecurity.Role... roles) {
        String name = "test-" + UUID.randomUUID();
        users.add(name);
        for (QueueSecurity.Role role : roles) {
            admin.operations().security().grant(role, name, () -> PASSWORD);
        }
        return name;
    }

    /** The name of a new user with a role that the queue does not know. */
    String userWith(String role) {
        String name = "test-" + UUID.randomUUID();
        users.add(name);
        ObjectNode user = Jobs.json("{'type':'user','roles':['" + role + "']}");
        user.put("_id", "org.couchdb.user:" + name).put("name", name).put("password", PASSWORD.reveal());
        CouchDatabase accounts = admin.database().server().database("_users");
        accounts.createIfMissing();
        assertThat(accounts.put(user)).isInstanceOf(WriteResult.Stored.class);
        return name;
    }

    JobQueue as(QueueSecurity.Role... roles) {
        return as(user(roles));
    }

    JobQueue as(String user) {
        return open(new Auth.Basic(user, PASSWORD));
    }

    /** How a replicator that logs in as a user sees the database. */
    TestDatabase replicatingAs(String user) {
        TestServer server = new TestServer(url.resolve("/"), Optional.of(user), Optional.of(PASSWORD.reveal()), "");
        return new TestDatabase(server, admin.database().name());
    }

    private JobQueue open(Auth auth) {
        JobQueueBuilder builder = JobQueue.builder(url).renewLeases(false).auth(auth);
        JobQueue queue = builder.open();
        opened.add(queue);
        return queue;
    }

    @Override
    public void close() {
        CouchDatabase accounts = admin.database().server().database("_users");
        for (String user : users) {
            Optional.of("org.couchdb.user:" + user)
                    .flatMap(accounts::get)
                    .ifPresent(account -> accounts.put(account.put("_deleted", true)));
        }
        opened.forEach(JobQueue::close);
        oneCopy.close();
        if (embedded != null) {
            embedded.close();
        }
    }
}
