package io.couchjobs.couch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.couch.Answer;
import io.couchjobs.engine.couch.Call;
import io.couchjobs.engine.couch.ClientParts;
import io.couchjobs.engine.couch.Http;
import io.couchjobs.engine.couch.Json;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.couch.UrlPath;
import io.couchjobs.engine.time.Environment;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A CouchDB server, or a cluster. Thread-safe. It owns the connection pools: create one instance per server or cluster, and
 * close it when done.
 *
 * <p>The configuration names the nodes of a cluster. The client sends its requests to one node, and switches to another one
 * when that node fails. It never sends a write to another node if the failed node may have carried it out.
 *
 * <p>Reads are retried a few times when the connection fails, the server is busy (503), or the process that runs the code of
 * views has ended (500, {@code os_process_error} or {@code epipe}). Writes of documents are never retried after such a
 * failure.
 *
 * <p>A request that the server refuses with 429 was not carried out, so it is retried, even if it is a write. From then on
 * this client throttles its requests to about the rate that the server accepts; writes go first. The client throws an
 * exception only when the server refuses for a minute.
 */
public final class CouchServer implements AutoCloseable {
    private static final Set<String> WITHOUT = Set.of("missing", "deleted");

    /** A character that sorts after all characters of database names. */
    private static final String LAST = "\ufff0";

    /** CouchDB's default, in bytes. */
    private static final String MAX_DOCUMENT_SIZE = "8000000";

    static {
        ServerAccess.findBy(server -> ((CouchServer) server).http);
    }

    private final CouchConfig config;
    private final Http http;

    private CouchServer(CouchConfig config, Http http) {
        this.config = config;
        this.http = http;
    }

    /**
     * {@return a client for a server; sends no request}
     *
     * @param config the addresses, the credentials and the limits
     * @throws IllegalArgumentException if the certificates of the configuration cannot be used
     */
    public static CouchServer connect(CouchConfig config) {
        return connect(config, ClientParts.of(config, Environment.REAL));
    }

    static CouchServer connect(CouchConfig config, ClientParts parts) {
        return new CouchServer(config, new Http(config, parts));
    }

    /** {@return the configuration of this client} */
    public CouchConfig config() {
        return config;
    }

    /**
     * {@return the server's description of itself}
     *
     * @throws CouchException if the request failed, or the server is not CouchDB
     */
    public Info info() {
        return http.exchange(Call.get(UrlPath.ROOT), CouchServer::infoOf);
    }

    /**
     * {@return a client for one database, which need not exist; sends no request}
     *
     * @param name the database's name
     * @throws IllegalArgumentException if CouchDB does not allow the name
     */
    public CouchDatabase database(String name) {
        return new CouchDatabase(this, DatabaseName.checked(name));
    }

    /**
     * {@return the names of all databases}
     *
     * @throws CouchException if the databases could not be listed
     */
    public List<String> databases() {
        return http.exchange(Call.get(UrlPath.ROOT.segment("_all_dbs")), answer -> Json.texts(answer.array()));
    }

    /**
     * {@return the names of all databases that begin with a prefix, sorted}
     *
     * @param prefix the prefix; may be empty
     * @throws CouchException if the databases could not be listed
     */
    public List<String> databases(String prefix) {
        UrlPath all = UrlPath.ROOT.segment("_all_dbs");
        UrlPath some = prefix.isEmpty()
                ? all
                : all.query("startkey", Json.value(prefix).toString())
                        .query("endkey", Json.value(prefix + LAST).toString());
        return http.exchange(Call.get(some), answer -> Json.texts(answer.array()));
    }

    /**
     * Describes several databases in one request ({@code _dbs_info}).
     *
     * @param names the databases' names; a server accepts at most 100 by default
     * @return the databases that exist, by name
     * @throws CouchException if the request failed
     */
    public Map<String, DatabaseInfo> databaseInfos(List<String> names) {
        ObjectNode question = Json.object();
        names.forEach(question.putArray("keys")::add);
        return http.exchange(Call.ask(UrlPath.ROOT.segment("_dbs_info"), question), answer -> {
            Map<String, DatabaseInfo> infos = new LinkedHashMap<>();
            for (JsonNode entry : answer.array()) {
                if (entry.path("info") instanceof ObjectNode info) {
                    infos.put(Json.text(entry, "key"), DatabaseInfo.of(info));
                }
            }
            return infos;
        });
    }

    /**
     * {@return the nodes of the cluster, as the node that answers sees them}
     *
     * @throws CouchException if the server does not support the request, or the user is not allowed to send it
     */
    public Membership membership() {
        return http.exchange(Call.get(UrlPath.ROOT.segment("_membership")), answer -> {
            ObjectNode nodes = answer.object();
            return new Membership(
                    Set.copyOf(Json.texts(nodes.path("all_nodes"))),
                    Set.copyOf(Json.texts(nodes.path("cluster_nodes"))));
        });
    }

    /**
     * Returns whether a node of the cluster has a database.
     *
     * @param node the node's name, as in {@link #membership}
     * @param database the database's name
     * @return whether the node has the database; empty when the node does not answer now, or the user is not allowed to ask
     */
    public Optional<Boolean> isOnNode(String node, String database) {
        UrlPath entry =
                UrlPath.ROOT.segment("_node").segment(node).segment("_dbs").segment(database);
        try {
            return http.exchange(Call.get(entry), answer -> {
                if (answer.status() != 404) {
                    answer.requireSuccess();
                    return Optional.of(true);
                }
                // Any other reason means that there is no such node.
                boolean isWithout = WITHOUT.contains(answer.failure().reason());
                return isWithout ? Optional.of(false) : Optional.empty();
            });
        } catch (CouchException untold) {
            return Optional.empty();
        }
    }

    /** {@return how many copies a new database gets by the server's configuration; 1 when the server does not say} */
    public int copiesWanted() {
        try {
            return configured("cluster").path("n").asInt(1);
        } catch (CouchException untold) {
            return 1;
        }
    }

    /**
     * {@return the maximum size of a document without its attachments, in bytes of JSON; empty when the server does not say:
     * it tells administrators only}
     */
    public OptionalLong largestDocument() {
        try {
            String limit = configured("couchdb").path("max_document_size").asText(MAX_DOCUMENT_SIZE);
            return OptionalLong.of(Long.parseLong(limit));
        } catch (CouchException | NumberFormatException untold) {
            return OptionalLong.empty();
        }
    }

    private ObjectNode configured(String section) {
        UrlPath local = UrlPath.ROOT.segment("_node").segment("_local");
        return http.exchange(Call.get(local.segment("_config").segment(section)), Answer::object);
    }

    /**
     * Returns the server's clock minus this machine's clock, estimated from the {@code Date} header of the answers so far. A
     * positive result means that the server is ahead. The header has whole seconds; several answers make the estimate more
     * precise.
     *
     * @return the smallest possible difference; zero when the clocks may agree, or no answer had a date yet
     */
    public Duration clockSkew() {
        return clockSkew(http.environment().instant());
    }

    /**
     * Returns the server's clock minus another clock. The server's time is extrapolated by the monotonic clock, so setting
     * this machine's clock does not change it.
     *
     * @param local the present time of the other clock
     * @return the smallest possible difference, as in {@link #clockSkew()}
     */
    public Duration clockSkew(Instant local) {
        return http.clockSkew().estimate(local);
    }

    /**
     * Returns how much greater than {@link #clockSkew(Instant)} the difference may be: about 2 s after one answer, and little
     * more than 1 s after several answers within a few seconds.
     *
     * @param local the present time of the other clock
     * @return the uncertainty; zero when the clocks may agree, or no answer had a date yet
     */
    public Duration clockDoubt(Instant local) {
        return http.clockSkew().doubt(local);
    }

    /** {@return how many requests were sent so far, without logins and probes; a feed counts once, when it is opened} */
    public long requestCount() {
        return http.requestCount();
    }

    /**
     * {@return how often this client switched from one node of a cluster to another so far} While the number stays the same,
     * the same node answers all requests except feeds.
     */
    public long nodeSwitches() {
        return http.nodeSwitches();
    }

    /**
     * Closes all connections and ends all feeds. Later requests throw an {@link IllegalStateException}. Closing twice does
     * nothing.
     */
    @Override
    public void close() {
        http.close();
    }

    /**
     * Closes this client as {@link #close()} does.
     *
     * @param why the message of the {@link IllegalStateException} that each later request throws
     */
    public void close(String why) {
        http.close(why);
    }

    Http http() {
        return http;
    }

    @Override
    public String toString() {
        return "CouchServer" + config.urls();
    }

    private static Info infoOf(Answer answer) throws IOException {
        ObjectNode welcome = answer.object();
        String version = Json.optionalText(welcome, "version")
                .filter(given -> welcome.has("couchdb"))
                .orElseThrow(() -> answer.unusable("this server is no CouchDB"));
        return new Info(version, Json.text(welcome.path("vendor"), "name"), Json.optionalText(welcome, "uuid"));
    }

    /**
     * The server's description of itself.
     *
     * @param version the version, such as {@code 3.5.0}
     * @param vendor the vendor's name; empty when the server does not say
     * @param uuid the server's id, if it has one
     */
    public record Info(String version, String vendor, Optional<String> uuid) {}

    /**
     * The nodes of a cluster, as one of the nodes sees them. Immutable and thread-safe.
     *
     * @param connected the nodes that this node is connected to, including itself
     * @param cluster the nodes that belong to the cluster, whether connected or not
     * @see <a href="https://docs.couchdb.org/en/stable/api/server/common.html#membership">/_membership</a>
     */
    public record Membership(Set<String> connected, Set<String> cluster) {
        /**
         * Copies the sets of nodes.
         *
         * @param connected the nodes that this node is connected to
         * @param cluster the nodes that belong to the cluster
         */
        public Membership {
            connected = Set.copyOf(connected);
            cluster = Set.copyOf(cluster);
        }
    }
}
