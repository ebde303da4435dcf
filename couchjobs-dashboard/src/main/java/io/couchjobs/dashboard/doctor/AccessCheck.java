package io.couchjobs.dashboard.doctor;

import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchException;
import java.net.URI;
import java.util.Set;

/** Whether people without a password can read the queue, and passwords travel in the open. */
final class AccessCheck extends Check {
    private static final Set<String> THIS_MACHINE = Set.of("127.0.0.1", "localhost", "[::1]", "::1");

    AccessCheck() {
        super("access");
    }

    @Override
    public Problem look(JobQueue queue) {
        URI url = queue.database().server().config().url();
        boolean isNear = THIS_MACHINE.contains(String.valueOf(url.getHost()));
        if (isOpenToAll(queue, url)) {
            String what = "the database can be read without a password";
            String remedy = "give the server an administrator, and the database members (CouchDB: Security)";
            String consequence = "anybody who reaches the server sees all jobs";
            return isNear ? note(what, consequence, remedy) : problem(what, consequence, remedy);
        }
        return isNear || "https".equals(url.getScheme())
                ? fine("the database asks for a password")
                : problem(
                        "the connection is not encrypted",
                        "anybody who listens between here and " + url.getHost() + " reads the password and all jobs",
                        "use an https URL");
    }

    private static boolean isOpenToAll(JobQueue queue, URI url) {
        CouchConfig.Builder nobody = CouchConfig.builder(url).insecure(true);
        queue.database().server().config().proxy().ifPresent(nobody::proxy);
        try (CouchServer server = CouchServer.connect(nobody.build())) {
            server.database(queue.database().name()).info();
            return true;
        } catch (CouchException refused) {
            return false;
        }
    }
}
