package io.couchjobs;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.ClientCertificate;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.HttpProxy;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.store.SiteDocument;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.AttachedData;
import io.couchjobs.job.Site;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Opens a {@link JobQueue} with options. Not thread-safe. */
public final class JobQueueBuilder {
    /** The highest number of feeds open at one node: the feed of the queue and those of triggers. */
    private static final int MOST_FEEDS = 40;

    private final List<DatabaseUrl> urls = new ArrayList<>();
    private @Nullable Auth auth;
    /** The settings that the queue's server and those of the named connections share. */
    private Consumer<CouchConfig.Builder> shared = server -> server.maxFeedConnections(MOST_FEEDS);

    private boolean createIfMissing = true;
    boolean strict;
    boolean renewLeases = true;
    int inlineData = AttachedData.DEFAULT_LIMIT;
    private @Nullable String site;
    Duration defaultTimeout = Duration.ofSeconds(60);
    private InstantSource clock = InstantSource.system();
    private boolean ownClock;
    private final List<QueueExtension> extensions = new ArrayList<>();
    private final Map<String, CouchConfig.Builder> connections = new LinkedHashMap<>();

    JobQueueBuilder(DatabaseUrl url) {
        urls.add(url);
    }

    /**
     * {@return this builder, with the same database on another node of the cluster, used when other nodes fail} Each process uses
     * one node at a time and starts with a random one.
     *
     * @param another the database's URL on that node, with its own credentials if the other URLs have credentials
     */
    public JobQueueBuilder url(URI another) {
        urls.add(new DatabaseUrl(another));
        return this;
    }

    /**
     * {@return this builder, with the same database on another node; see {@link #url(URI)}}
     *
     * @param another the database's URL on that node, as text
     * @throws IllegalArgumentException when the text is not a URL; unlike {@link URI#create}, the message shows no password
     */
    public JobQueueBuilder url(String another) {
        urls.add(DatabaseUrl.parse(another));
        return this;
    }

    /**
     * {@return this builder, with credentials that replace those in the URL}
     *
     * @param credentials basic, session or bearer credentials
     */
    public JobQueueBuilder auth(Auth credentials) {
        this.auth = credentials;
        return this;
    }

    /**
     * {@return this builder, for a queue that trusts an additional certificate authority}
     *
     * @param pem a file with the authority's certificate, in PEM format
     */
    public JobQueueBuilder caCertificate(Path pem) {
        shared = shared.andThen(server -> server.caCertificate(pem));
        return this;
    }

    /**
     * {@return this builder, for a queue that trusts any server} For tests only: anyone between client and server can read and
     * change all traffic.
     *
     * @param trustAnyServer default false
     */
    public JobQueueBuilder insecure(boolean trustAnyServer) {
        shared = shared.andThen(server -> server.insecure(trustAnyServer));
        return this;
    }

    /**
     * {@return this builder, with a client certificate for servers that ask for one (mutual TLS)}
     *
     * @param certificate the certificate and its key
     */
    public JobQueueBuilder clientCertificate(ClientCertificate certificate) {
        shared = shared.andThen(server -> server.clientCertificate(certificate));
        return this;
    }

    /**
     * {@return this builder, with a proxy for requests to the servers} Without this call no proxy is used, regardless of the
     * environment.
     *
     * @param proxy the address of the proxy, and the servers that are reached without it
     */
    public JobQueueBuilder proxy(HttpProxy proxy) {
        shared = shared.andThen(server -> server.proxy(proxy));
        return this;
    }

    /**
     * {@return this builder, with the choice whether to create a missing database}
     *
     * @param create whether to create the database and its design documents (the default) or to fail. The database is never
     *     created on a node of a cluster when another node has it or cannot be asked, nor on an empty server that is configured
     *     for a cluster
     */
    public JobQueueBuilder createIfMissing(boolean create) {
        this.createIfMissing = create;
        return this;
    }

    /**
     * {@return this builder, for a queue that refuses jobs whose type has no timeout} Source: the RFC.
     *
     * @param refuse default false
     */
    public JobQueueBuilder strict(boolean refuse) {
        this.strict = refuse;
        return this;
    }

    /**
     * {@return this builder, with the default timeout for types without one: how long an owner may be silent before another
     * worker takes its job}
     *
     * @param timeout default 60 s
     * @throws IllegalArgumentException when the timeout is not from 1 ms to 1000 days
     */
    public JobQueueBuilder defaultTimeout(Duration timeout) {
        if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(Duration.ofDays(1000)) > 0) {
            throw new IllegalArgumentException("defaultTimeout must be from 1 ms to 1000 days: " + timeout);
        }
        this.defaultTimeout = timeout;
        return this;
    }

    /**
     * {@return this builder, with the choice who renews the leases of jobs claimed by {@link JobQueue#accept} and {@link
     * JobQueue#claim}} A worker always renews the leases of its own jobs.
     *
     * @param byTheQueue true (the default) if the queue renews the leases until the claim ends or this process dies; false if the
     *     owner renews them by {@link io.couchjobs.job.ClaimedJob#update()}, and loses the job when it stops doing so
     */
    public JobQueueBuilder renewLeases(boolean byTheQueue) {
        this.renewLeases = byTheQueue;
        return this;
    }

    /**
     * {@return this builder, with the size up to which the data of a job is stored in its document} This queue stores larger data
     * as an attachment. Attached data is not rewritten by each transition of the job, and not read with each window and change.
     * Data that is already stored stays where it is until it is changed.
     *
     * @param bytes the size of the JSON text in UTF-8; default {@value AttachedData#DEFAULT_LIMIT}; {@link Integer#MAX_VALUE}
     *     disables attachments
     * @throws IllegalArgumentException when the size is negative
     */
    public JobQueueBuilder largestInlineData(int bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("largestInlineData must be a number of bytes from 0: " + bytes);
        }
        this.inlineData = bytes;
        return this;
    }

    /**
     * {@return this builder, for a queue that acts as the given site instead of the database's own site} Its workers run the jobs
     * of that site, and the jobs it creates belong to that site. Nothing is written to the database. See {@link
     * Operations#nameSite}.
     *
     * @param name the site's name; the default is the database's own, if it has one
     * @throws IllegalArgumentException when the name is not 1 to 64 letters (a to z), digits, dots, underscores and hyphens
     */
    public JobQueueBuilder site(String name) {
        this.site = Site.checkName(name);
        return this;
    }

    /**
     * {@return this builder, with another clock, for tests} The clock is corrected to the server's.
     *
     * @param source the clock; the default is the system clock
     */
    public JobQueueBuilder clock(InstantSource source) {
        this.clock = source;
        this.ownClock = false;
        return this;
    }

    /**
     * {@return this builder, with a clock that is not corrected to the server's, for tests that advance time by days} All
     * processes that use the database at the same time should use the same clock.
     *
     * @param source the clock
     */
    public JobQueueBuilder settableClock(InstantSource source) {
        this.clock = source;
        this.ownClock = true;
        return this;
    }

    /**
     * {@return this builder, with a server whose databases triggers can follow ({@link
     * io.couchjobs.trigger.TriggerBuilder#connection})} Only processes that know the connection of a trigger follow the trigger,
     * so no document has to hold credentials. The certificates, {@link #insecure} and the proxy of this queue also apply to the
     * connection. The credentials of this queue do not.
     *
     * @param name the name that triggers use
     * @param server the server's URL with the credentials, such as {@code http://reader:secret@shop.example:5984}
     * @throws IllegalArgumentException when the URL cannot be that of a server
     */
    public JobQueueBuilder connection(String name, URI server) {
        CouchConfig unused = CouchConfig.builder(server).build(); // fails here if the URL is wrong
        connections.put(name, CouchConfig.builder(server));
        return this;
    }

    /**
     * {@return this builder, with an extension of the queue, such as metrics or tracing}
     *
     * @param extension the extension; it is called after the extensions that were added before it
     */
    public JobQueueBuilder extension(QueueExtension extension) {
        extensions.add(extension);
        return this;
    }

    /**
     * Opens the queue.
     *
     * @return the open queue
     * @throws IllegalArgumentException when a URL does not name a database, or the URLs name different databases
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be reached, refuses the credentials, or does not
     *     exist and must not be created
     */
    public JobQueue open() {
        CouchConfig.Builder config = CouchConfig.builder(urls.get(0).server());
        urls.stream().skip(1).map(DatabaseUrl::server).forEach(config::node);
        if (auth != null) {
            config.auth(auth);
        }
        String database = databaseName();
        CouchServer server = CouchServer.connect(configured(config));
        Runnable closing = server::close;
        try {
            CouchDatabase jobs = server.database(database);
            JobQueue queue = new JobQueue(jobs, this, new SiteDocument(jobs).readOr(site));
            closing = queue::close;
            if (createIfMissing) {
                queue.operations().init(false);
            } else {
                queue.database().info();
            }
            queue.tellOpened();
            return queue;
        } catch (RuntimeException | Error trouble) {
            Closing.after(trouble, closing);
            throw trouble;
        }
    }

    Map<String, CouchConfig> connections() {
        return connections.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, entry -> configured(entry.getValue())));
    }

    private CouchConfig configured(CouchConfig.Builder server) {
        shared.accept(server);
        return server.build();
    }

    ServerClock clock(CouchServer server) {
        return ownClock
                ? new ServerClock(clock, () -> Duration.ZERO, ServerAccess.environment(server)::nanos)
                : new ServerClock(
                        clock,
                        server::clockSkew,
                        server::clockDoubt,
                        server::info,
                        ServerAccess.environment(server)::nanos);
    }

    List<QueueExtension> extensions() {
        return List.copyOf(extensions);
    }

    private String databaseName() {
        String name = urls.get(0).name();
        urls.stream().filter(url -> !url.name().equals(name)).findFirst().ifPresent(other -> {
            throw new IllegalArgumentException("the URLs must name one database, on several nodes of a cluster; "
                    + urls.get(0) + " and " + other + " name two");
        });
        return name;
    }
}
