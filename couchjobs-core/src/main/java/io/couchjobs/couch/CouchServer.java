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
 * A CouchDB server. Thread-safe; owns the connection pools, so have one per server or cluster and close it at the end.
 *
 * <p>It may be a cluster, whose nodes the configuration names. They are asked one at a time: another one when one fails. A
 * write that a node may have carried out before it failed is never sent to another.
 *
 * <p>Reads are repeated a few times when the connection fails, the server is busy (503), or the process that runs the
 * code of views has ended (500, {@code os_process_error} or {@code epipe}). Writes are never repeated.
 *
 * <p>A request that the server refuses by 429 was not carried out. It is sent again, also when it is a write. From then
 * on all requests of this client wait for their turn, so that the server gets about as many per second as it accepts;
 * writes go first. Only a refusal that lasts for a minute is thrown.
 */
public final class CouchServer implements AutoCloseable {
    private static final Set<String> WITHOUT = Set.of("missing", "deleted");

    /** A character that comes after those of all names. */
    private static final String LAST = "\ufff0";

    /** CouchDB's default. */
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
     * {@return a client for that server; nothing is sent yet}
     *
     * @param config where and how
     * @throws IllegalArgumentException the certificates of the configuration cannot be used
     */
    public static CouchServer connect(CouchConfig config) {
        return connect(config, ClientParts.of(config, Environment.REAL));
    }

    static CouchServer connect(CouchConfig config, ClientParts parts) {
        return new CouchServer(config, new Http(config, parts));
    }

    /** {@return the configuration this client was made with} */
    public CouchConfig config() {
        return config;
    }

    /**
     * {@return the server's description of itself}
     *
     * @throws CouchException it could not be asked, or is no CouchDB
     */
    public Info info() {
        return http.exchange(Call.get(UrlPath.ROOT), CouchServer::infoOf);
    }

    /**
     * {@return a client for one database, which need not exist; nothing is sent yet}
     *
     * @param name the database's name
     * @throws IllegalArgumentException CouchDB does not allow such a name
     */
    public CouchDatabase database(String name) {
        return new CouchDatabase(this, DatabaseName.checked(name));
    }

    /**
     * {@return the names of all databases}
     *
     * @throws CouchException they could not be listed
     */
    public List<String> databases() {
        return http.exchange(Call.get(UrlPath.ROOT.segment("_all_dbs")), answer -> Json.texts(answer.array()));
    }

    /**
     * {@return the names of all databases that begin in some way, in their order}
     *
     * @param prefix the beginning; may be empty
     * @throws CouchException they could not be listed
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
     * Describes several databases by one request ({@code _dbs_info}).
     *
     * @param names their names; a server takes at most 100 by default
     * @return those that are there, by name
     * @throws CouchException they could not be asked for
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
     * {@return the nodes of the cluster, as the node that is asked sees them}
     *
     * @throws CouchException the server does not tell: it does not support the request, or the user has no right to it
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
     * Asks whether a node of the cluster knows a database.
     *
     * @param node the node's name, as {@link #membership} has it
     * @param database the database's name
     * @return whether it does; empty when that node cannot be asked now, or the user has no right to ask
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
                // Otherwise the reason is that there is no such node.
                boolean isWithout = WITHOUT.contains(answer.failure().reason());
                return isWithout ? Optional.of(false) : Optional.empty();
            });
        } catch (CouchException untold) {
            return Optional.empty();
        }
    }

    /** {@return how many copies a new database has, as the server is configured; 1 when it does not tell} */
    public int copiesWanted() {
        try {
            return configured("cluster").path("n").asInt(1);
        } catch (CouchException untold) {
            return 1;
        }
    }

    /**
     * {@return how large a document may be, attachments aside, in bytes of JSON; nothing when the server does not tell, as it
     *     tells administrators only}
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
     * The server's clock minus this machine's, from the {@code Date} of the answers seen so far. Positive: the server is
     * ahead. Those dates have whole seconds; several answers narrow it down.
     *
     * @return the least that is possible; zero when the clocks may agree, and before any answer with a date
     */
    public Duration clockSkew() {
        return clockSkew(http.environment().instant());
    }

    /**
     * The server's clock minus another one. Setting this machine's clock does not change the known server time, which
     * is kept by the monotonic clock.
     *
     * @param local the present time of the other clock
     * @return as {@link #clockSkew()}
     */
    public Duration clockSkew(Instant local) {
        return http.clockSkew().estimate(local);
    }

    /**
     * How much greater than {@link #clockSkew(Instant)} the difference may be: some 2 s after one answer, little more than
     * 1 s after several within some seconds.
     *
     * @param local the present time of the other clock
     * @return zero when the clocks may agree, and before any answer with a date
     */
    public Duration clockDoubt(Instant local) {
        return http.clockSkew().doubt(local);
    }

    /** {@return how many requests were sent so far, each feed counted once when it was opened, logins and probes aside} */
    public long requestCount() {
        return http.requestCount();
    }

    /**
     * {@return how often this client went from one node of a cluster to another so far} While the number stays the
     * same, one and the same node answers all requests, feeds aside.
     */
    public long nodeSwitches() {
        return http.nodeSwitches();
    }

    /**
     * Closes all connections and ends all feeds. Closing twice does nothing. Each later request throws an
     * {@link IllegalStateException}.
     */
    @Override
    public void close() {
        http.close();
    }

    /**
     * Closes as {@link #close}.
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
     * @param version the version it speaks, such as {@code 3.5.0}
     * @param vendor its maker; empty when it does not say
     * @param uuid its own id, when it tells
     */
    public record Info(String version, String vendor, Optional<String> uuid) {}

    /**
     * The nodes of a cluster, as one of them sees it. Immutable and thread-safe.
     *
     * @param connected the nodes that it is connected with, itself among them
     * @param cluster the nodes that belong to the cluster, whether they are there or not
     * @see <a href="https://docs.couchdb.org/en/stable/api/server/common.html#membership">/_membership</a>
     */
    public record Membership(Set<String> connected, Set<String> cluster) {
        /**
         * Copies.
         *
         * @param connected the nodes that it is connected with
         * @param cluster the nodes that belong to the cluster
         */
        public Membership {
            connected = Set.copyOf(connected);
            cluster = Set.copyOf(cluster);
        }
    }
}
