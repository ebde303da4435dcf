package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.cli.schema.DocumentSchemas;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.dashboard.Dashboard;
import io.couchjobs.dashboard.DashboardBuilder;
import io.couchjobs.dashboard.doctor.Checks;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The dashboard with the checks of {@code doctor}. No other class here needs the dashboard's pages, so other commands do not load
 * them.
 *
 * @param dashboard the dashboard
 */
record WebPage(Dashboard dashboard) implements AutoCloseable {
    /**
     * The options of the dashboard.
     *
     * @param address where to listen
     * @param basePath the path above the pages
     * @param hosts names by which browsers reach the dashboard
     * @param user the user that may see the pages, or null for everybody
     * @param password the user's password
     * @param tokens tokens that give access, too
     * @param readTokens tokens that give access, but allow no changes
     * @param actions whether changes are allowed, or null to let the address decide
     * @param api whether the HTTP API is served, too
     */
    record Options(
            Address address,
            String basePath,
            List<String> hosts,
            @Nullable String user,
            @Nullable String password,
            List<String> tokens,
            List<String> readTokens,
            @Nullable Boolean actions,
            boolean api) {
        static Options of(Address address) {
            return new Options(address, "", List.of(), null, null, List.of(), List.of(), null, false);
        }
    }

    static WebPage open(JobQueue queue, Options options) {
        DashboardBuilder builder =
                Dashboard.of(queue).basePath(options.basePath()).checks(Checks.all(DocumentSchemas::problem));
        options.hosts().forEach(builder::host);
        if (options.user() != null && options.password() != null) {
            builder.user(options.user(), Secret.of(options.password()));
        }
        options.tokens().forEach(token -> builder.token(Secret.of(token)));
        options.readTokens().forEach(token -> builder.readOnlyToken(Secret.of(token)));
        if (options.api()) {
            builder.api();
        }
        if (options.actions() != null) {
            builder.actions(options.actions());
        }
        return listen(builder, options.address());
    }

    private static WebPage listen(DashboardBuilder builder, Address address) {
        try {
            return new WebPage(builder.listen(address.host(), address.port()));
        } catch (IllegalStateException open) {
            throw CommandException.usage(
                    open.getMessage() + " (--auth-user with " + DashboardCommand.PASSWORD + ", or --auth-token-file)");
        } catch (UncheckedIOException e) {
            throw new CommandException(
                    ExitCode.FAILED,
                    e.getCause() instanceof BindException
                            ? "cannot listen on " + address.host() + ":" + address.port() + ": "
                                    + e.getCause().getMessage()
                                    + " (choose another port by --listen, or 0 for a free one)"
                            : Problems.explain(e));
        }
    }

    URI url() {
        return dashboard.url();
    }

    @Override
    public void close() {
        dashboard.close();
    }
}
