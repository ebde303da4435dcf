package io.couchjobs.chaos;

import io.couchjobs.JobQueue;
import io.couchjobs.admin.QueueSecurity;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.config.Secret;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The accounts with which the processes of a chaos run log in. */
interface Accounts extends AutoCloseable {
    /** {@return the URLs of the database at each node, with the credentials of a process} */
    List<URI> of(QueueSecurity.Role role, String process, List<URI> databases);

    @Override
    void close();

    /** {@return accounts with which all processes log in as the administrator that set up the queue} */
    static Accounts none() {
        return new Accounts() {
            @Override
            public List<URI> of(QueueSecurity.Role role, String process, List<URI> databases) {
                return databases;
            }

            @Override
            public void close() {
                // no users to delete
            }
        };
    }

    /** A user for each process, with only the role of the process. The users are deleted after the run. Not thread-safe. */
    final class OfOneRun implements Accounts {
        private final JobQueue queue;
        private final String run = "chaos-" + UUID.randomUUID();
        private final List<String> users = new ArrayList<>();

        OfOneRun(JobQueue queue) {
            this.queue = queue;
        }

        @Override
        public List<URI> of(QueueSecurity.Role role, String process, List<URI> databases) {
            String user = run + "-" + process;
            String password = UUID.randomUUID().toString();
            queue.operations().security().grant(role, user, () -> Secret.of(password));
            users.add(user);
            return databases.stream()
                    .map(database -> withUser(database, user + ":" + password))
                    .toList();
        }

        private static URI withUser(URI url, String user) {
            try {
                return new URI(url.getScheme(), user, url.getHost(), url.getPort(), url.getPath(), null, null);
            } catch (URISyntaxException e) {
                throw new IllegalArgumentException(url.getHost() + " has no URL for a user", e);
            }
        }

        @Override
        public void close() {
            CouchDatabase accounts = queue.database().server().database("_users");
            for (String user : users) {
                accounts.get("org.couchdb.user:" + user)
                        .ifPresent(account -> accounts.put(account.put("_deleted", true)));
            }
        }
    }
}
