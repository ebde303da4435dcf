package io.couchjobs.dashboard.doctor;

import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Checks whether any node lets people without a password read the queue, and whether passwords travel unencrypted. */
final class AccessCheck extends Check {
    private static final Set<String> THIS_MACHINE = Set.of("127.0.0.1", "localhost", "[::1]", "::1");

    AccessCheck() {
        super("access");
    }

    @Override
    public Problem look(JobQueue queue) {
        List<URI> open = new ArrayList<>();
        List<URI> unseen = new ArrayList<>();
        List<URI> all = queue.database().server().config().urls();
        all.forEach(url -> ask(queue, url, open, unseen));
        List<URI> unencrypted = all.stream()
                .filter(url -> !isNear(url) && !"https".equals(url.getScheme()))
                .toList();
        if (!open.isEmpty()) {
            return isOpen(open);
        } else if (!unencrypted.isEmpty()) {
            return isUnencrypted(unencrypted);
        }
        return unseen.isEmpty() ? fine("the database asks for a password") : isUnseen(unseen);
    }

    private Problem isOpen(List<URI> open) {
        String what = "the database can be read without a password";
        String remedy = "give the server an administrator, and the database members (CouchDB: Security)";
        String consequence = "anybody who reaches the server sees all jobs";
        return open.stream().allMatch(AccessCheck::isNear)
                ? note(what, consequence, remedy)
                : problem(what, consequence, remedy);
    }

    private Problem isUnencrypted(List<URI> urls) {
        return problem(
                "the connection is not encrypted",
                "anybody who listens between here and " + names(urls, URI::getHost)
                        + " reads the password and all jobs",
                "use an https URL");
    }

    private Problem isUnseen(List<URI> urls) {
        return note(
                "whether the database asks for a password could not be looked at on "
                        + names(urls, URI::getRawAuthority),
                "it may be open to all there",
                "look again when the server answers");
    }

    /**
     * Asks a node without a password. Adds the node to {@code open} when it answers, and to {@code unseen} when it neither
     * answers nor refuses.
     */
    private static void ask(JobQueue queue, URI url, List<URI> open, List<URI> unseen) {
        try (CouchServer server =
                CouchServer.connect(nobody(queue.database().server().config(), url))) {
            server.database(queue.database().name()).info();
            open.add(url);
        } catch (CouchException refused) {
            if (refused.status() != 401 && refused.status() != 403) {
                unseen.add(url);
            }
        }
    }

    private static CouchConfig nobody(CouchConfig present, URI url) {
        CouchConfig.Builder nobody = CouchConfig.builder(url).insecure(true).connectTimeout(present.connectTimeout());
        present.proxy().ifPresent(nobody::proxy);
        return nobody.build();
    }

    private static boolean isNear(URI url) {
        return THIS_MACHINE.contains(String.valueOf(url.getHost()));
    }

    private static String names(List<URI> urls, Function<URI, String> name) {
        return urls.stream().map(name).distinct().collect(Collectors.joining(", "));
    }
}
