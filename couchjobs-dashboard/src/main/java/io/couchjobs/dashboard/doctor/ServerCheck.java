package io.couchjobs.dashboard.doctor;

import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.couch.CouchServer;

/** Checks the vendor and version of the server. */
final class ServerCheck extends Check {
    ServerCheck() {
        super("server");
    }

    @Override
    public Problem look(JobQueue queue) {
        CouchServer.Info info = queue.database().server().info();
        String what = (info.vendor().isEmpty() ? "CouchDB" : info.vendor()) + ", version " + info.version();
        if (info.vendor().contains("couchjobs")) {
            return note(
                    what,
                    "it is made for development and tests, and keeps one copy",
                    "use a CouchDB 3.5 in production");
        }
        if (major(info.version()) < 3) {
            return problem(
                    what,
                    "couchjobs is tested with CouchDB 3.5; nobody knows what works here",
                    "upgrade to CouchDB 3.5");
        }
        return fine(what);
    }

    private static int major(String version) {
        String number = version.replaceFirst("\\D.*$", "");
        return number.isEmpty() || number.length() > 4 ? 0 : Integer.parseInt(number);
    }
}
