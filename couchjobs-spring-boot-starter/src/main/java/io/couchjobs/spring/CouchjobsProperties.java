package io.couchjobs.spring;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of an application's queue. Addresses are strings, not URIs, because Spring would show a URI that it cannot
 * parse, and the URI may contain a password. Immutable and thread-safe.
 *
 * @param url the URL of the database, such as http://127.0.0.1:5984/jobs. Without a URL there is no queue.
 * @param nodes URLs of the same database on other nodes of a cluster
 * @param user the user name, unless the URL contains it
 * @param password the password of that user
 * @param token a bearer token, instead of user and password
 * @param createIfMissing whether to create a missing database and its design documents
 * @param defaultTimeout how long an owner of a job may be silent, for job types without their own timeout
 * @param site the name of this database among several that replicate to each other
 * @param connections the URLs, with credentials, of other servers that triggers may use, by name
 * @param worker the application's worker
 * @param dashboard the dashboard below the management path
 */
@ConfigurationProperties("couchjobs")
public record CouchjobsProperties(
        @Nullable String url,
        @DefaultValue List<String> nodes,
        @Nullable String user,
        @Nullable String password,
        @Nullable String token,
        @DefaultValue("true") boolean createIfMissing,
        @DefaultValue("60s") Duration defaultTimeout,
        @Nullable String site,
        @DefaultValue Map<String, String> connections,
        @DefaultValue Worker worker,
        @DefaultValue Dashboard dashboard) {

    /** Returns a text without passwords. */
    @Override
    public String toString() {
        return "CouchjobsProperties[worker=" + worker + "]";
    }

    /**
     * The application's worker. Immutable and thread-safe.
     *
     * @param enabled whether this application runs jobs
     * @param id the worker's id; a worker that starts with the id of a dead worker expires that worker's jobs at once. Default: a
     *     new id for each start
     * @param concurrency how many jobs run at once: a number, cores, or cores*N
     * @param prefetch how many jobs are claimed ahead
     * @param timeLimit how long a run may take; default no limit
     * @param closeTimeout how long running jobs may take to finish when the application stops
     */
    public record Worker(
            @DefaultValue("true") boolean enabled,
            @Nullable String id,
            @DefaultValue("cores") String concurrency,
            @DefaultValue("0") int prefetch,
            @Nullable Duration timeLimit,
            @DefaultValue("20s") Duration closeTimeout) {}

    /**
     * The dashboard below the management path. It is served only if it has credentials here, or the application's own security
     * guards it.
     *
     * @param enabled whether the dashboard may be served
     * @param user the user that may see the dashboard (HTTP Basic)
     * @param password the password of that user
     * @param token a token that gives access to the dashboard (HTTP Bearer)
     * @param readOnlyToken a token that gives read-only access
     * @param guardedByApplication whether the application's own security decides who may see the dashboard
     * @param actions whether the dashboard offers actions that change jobs and settings
     * @param api whether the HTTP API for programs is served too
     * @param hosts the host names by which browsers reach the application, such as shop.example.org
     */
    public record Dashboard(
            @DefaultValue("true") boolean enabled,
            @Nullable String user,
            @Nullable String password,
            @Nullable String token,
            @Nullable String readOnlyToken,
            @DefaultValue("false") boolean guardedByApplication,
            @DefaultValue("false") boolean actions,
            @DefaultValue("false") boolean api,
            @DefaultValue List<String> hosts) {

        /** Returns a text without passwords. */
        @Override
        public String toString() {
            return "Dashboard[enabled=" + enabled + "]";
        }
    }
}
