package io.couchjobs.dashboard;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.couchjobs.couch.IndexBeingBuiltException;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.job.ContentionException;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.job.QueueFullException;
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.job.WriteRefusedException;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pages of a dashboard, for a server of your own: {@code server.createContext("/jobs", handler)}, with the same path given to
 * {@link DashboardBuilder#basePath}. The server's executor needs a thread for each browser that shows a page. Thread-safe.
 */
public final class DashboardHandler implements HttpHandler, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DashboardHandler.class);

    private final String basePath;
    private final Guard guard;
    private final Assets assets;
    private final Hub hub;
    private final Routes routes;

    DashboardHandler(DashboardBuilder options, boolean mayAct) {
        this.basePath = options.path();
        this.guard = options.guard(mayAct);
        this.assets = new Assets(basePath);
        this.hub = new Hub(options.queue());
        this.routes = new Routes(options, hub, guard);
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try {
            answer(exchange);
        } finally {
            exchange.close();
        }
    }

    /** Answers a request, and leaves the exchange open. */
    void answer(HttpExchange exchange) throws IOException {
        Call call = new Call(exchange, basePath);
        try {
            serve(call);
        } catch (Refusal refusal) {
            call.refuse(refusal.status(), refusal.getMessage());
        } catch (NotFoundException gone) {
            call.refuse(404, gone.getMessage());
        } catch (MalformedDocumentException malformed) {
            call.refuse(422, malformed.getMessage());
        } catch (IllegalArgumentException | InvalidJobDataException wrong) {
            call.refuse(400, wrong.getMessage());
        } catch (QueueFullException full) {
            call.refuse(429, full.getMessage());
        } catch (IndexBeingBuiltException notYet) {
            call.refuse(503, notYet.progress().text());
        } catch (CouchException trouble) {
            log.warn("{} cannot be answered: {}", exchange.getRequestURI(), trouble.getMessage());
            call.refuse(502, trouble.getMessage());
        } catch (CouchJobsException refused) {
            call.refuse(status(refused), refused.getMessage());
        } catch (IOException left) {
            throw left;
        } catch (RuntimeException e) {
            log.error("{} {} failed", exchange.getRequestMethod(), exchange.getRequestURI(), e);
            call.refuse(500, "this failed; the log of the dashboard says why");
        }
    }

    /**
     * {@return the HTTP status of an error, by which a program knows whether to try again: 409 means that something has to change
     * first}
     */
    static int status(CouchJobsException refused) {
        if (refused instanceof WriteRefusedException write) {
            return write.isTooLarge() ? 413 : write.status() >= 500 ? 502 : 403;
        }
        return refused instanceof UnconfirmedException || refused instanceof ContentionException ? 503 : 409;
    }

    private void serve(Call call) throws IOException {
        guard.check(call);
        if (call.path().isEmpty()) {
            call.redirect(basePath + "/");
        } else if (call.isApi()) {
            routes.serve(call);
        } else if (call.isRead()) {
            assets.serve(call);
        } else {
            throw Refusal.notFound("such page");
        }
    }

    /** Disconnects the browsers, and stops following the queue's feed. Idempotent. */
    @Override
    public void close() {
        routes.close();
        hub.close();
    }
}
