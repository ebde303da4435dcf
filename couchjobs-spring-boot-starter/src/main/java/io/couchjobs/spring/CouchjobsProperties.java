package io.couchjobs.spring;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of an application's queue. Immutable and thread-safe. Addresses are texts, not URIs: when Spring cannot parse a
 * URI it shows it, and there may be a password in it.
 *
 * @param url the database, such as http://127.0.0.1:5984/jobs. Without it there is no queue.
 * @param nodes the same database on other nodes of a cluster
 * @param user the user that logs in, unless the url names one
 * @param password the password of that user
 * @param token a bearer token, in place of user and password
 * @param createIfMissing whether the database and its design documents are created where they are missing
 * @param defaultTimeout how long an owner of a job may be silent, for types that do not say
 * @param site which of several databases that replicate to each other this one is
 * @param connections the servers that triggers may name, by name: their URLs with the credentials
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

    /** Shows no password. */
    @Override
    public String toString() {
        return "CouchjobsProperties[worker=" + worker + "]";
    }

    /**
     * The application's worker. Immutable and thread-safe.
     *
     * @param enabled whether this application runs jobs at all
     * @param id the worker's name; a worker that starts with the name of a dead one takes its jobs back at once. Default: a name
     *     of its own for each start
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
     * The dashboard below the management path. It is there only when the dashboard itself, or the application, asks for a
     * password.
     *
     * @param enabled whether there may be a dashboard at all
     * @param user the user that may see it, by HTTP Basic
     * @param password the password of that user
     * @param token a token whose bearer may see it (HTTP Bearer)
     * @param readOnlyToken a token whose bearer may see it and change nothing
     * @param guardedByApplication whether the application's own security decides who may see it
     * @param actions whether people may change anything
     * @param api whether programs are served, too, by the HTTP API
     * @param hosts the names by which browsers reach the application, such as shop.example.org
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

        /** Shows no password. */
        @Override
        public String toString() {
            return "Dashboard[enabled=" + enabled + "]";
        }
    }
}
