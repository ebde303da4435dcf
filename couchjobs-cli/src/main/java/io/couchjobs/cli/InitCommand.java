package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.Operations;
import io.couchjobs.admin.QueueSecurity;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.job.Site;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code init}: creates the database and its design documents. */
@Command(
        name = "init",
        description = "Create the database and its design documents, where they are missing.",
        footer = {
            "  couchjobs init",
            "  couchjobs init --url http://127.0.0.1:5984/jobs --user admin",
            "  couchjobs init --site munich",
            "  couchjobs init --site berlin --home",
            "  couchjobs init --secure",
            "  couchjobs init --secure --dry-run",
            "  couchjobs init --create-user worker:ann"
        })
final class InitCommand extends CliCommand {
    @Option(
            names = "--site",
            paramLabel = "NAME",
            description = {
                "Name the database, among several that replicate to each other: its workers then run the jobs that carry this "
                        + "name, and jobs created here carry it. \"\" takes the name away."
            })
    private @Nullable String site;

    @Option(
            names = "--home",
            description = "With --site: run the jobs that carry no name here, too. One database at most may do that.")
    private boolean home;

    @Mixin
    private final SecureOptions secure = new SecureOptions();

    @Override
    public Integer call() {
        root().checkOutput(false);
        Optional<Site> named = named();
        secure.wanted();
        try (Session session = Session.open(root());
                CouchServer server = CouchServer.connect(session.server())) {
            CouchDatabase database = server.database(session.url().name());
            if (secure.dryRun) {
                return preview(database, named);
            }
            Operations.InitReport report = Operations.init(database, named.orElse(null));
            boolean created = report.databaseCreated();
            List<String> pushed = report.designDocumentsPushed();
            Site now = report.site();
            named.filter(site -> !site.home()).ifPresent(site -> warnOfJobsWithoutSite(database));
            Securing securing = Securing.run(secure, new QueueSecurity(database), root().shell());
            output().line(
                            () -> text(database.name(), created, pushed) + text(now) + securing.text(),
                            () -> securing.addTo(json(database.name(), created, pushed)
                                    .put("site", now.name())
                                    .put("home", now.home())));
            return ExitCode.DONE.number();
        }
    }

    private Integer preview(CouchDatabase database, Optional<Site> named) {
        Securing securing = Securing.run(secure, new QueueSecurity(database), root().shell());
        output().line(
                        () -> "database " + database.name() + ", nothing was changed"
                                + named.map(InitCommand::wouldBe).orElse("") + securing.text(),
                        () -> securing.addTo(previewed(database, named)));
        return ExitCode.DONE.number();
    }

    private static String wouldBe(Site site) {
        return site.name() == null
                ? "; it would have no name"
                : "; it would become site " + site.name()
                        + (site.home() ? " and would also run jobs that name no site" : "");
    }

    private static ObjectNode previewed(CouchDatabase database, Optional<Site> named) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("database", database.name());
        named.ifPresent(site -> json.put("site", site.name()).put("home", site.home()));
        return json;
    }

    /**
     * Warns of unfinished jobs without a site: they are older than the site's name, or were written by hand. Without a home site,
     * such jobs would wait for ever for no visible reason.
     */
    private void warnOfJobsWithoutSite(CouchDatabase database) {
        long jobs = Operations.unfinishedWithoutSite(database);
        if (jobs > 0) {
            root().say("couchjobs: warning: " + jobs
                    + " unfinished jobs here carry no site. Only a database that has no name,"
                    + " or was named with --home, runs them");
        }
    }

    private Optional<Site> named() {
        if (home && (site == null || site.isEmpty())) {
            throw CommandException.usage("--home needs --site: a database without a name runs those jobs anyway");
        }
        return Optional.ofNullable(site).map(name -> name.isEmpty() ? Site.UNNAMED : new Site(name, home));
    }

    private static String text(Site site) {
        return site.name() == null
                ? ""
                : "; it is the site " + site.name() + (site.home() ? ", and runs jobs without a site" : "");
    }

    private static String text(String name, boolean created, List<String> pushed) {
        String designs = pushed.isEmpty() ? "its design documents were there" : "stored " + String.join(", ", pushed);
        return "database " + name + " " + (created ? "created" : "was there") + "; " + designs;
    }

    private static ObjectNode json(String name, boolean created, List<String> pushed) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("database", name).put("databaseCreated", created);
        pushed.forEach(json.putArray("designDocumentsPushed")::add);
        return json;
    }
}
