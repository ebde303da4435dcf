package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.JobQueueBuilder;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.embedded.EmbeddedCouch;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The place where a command works: a database on a server, or a store in a folder, whose server runs as long as the command.
 *
 * @param url the database
 * @param auth the credentials
 * @param settings the other settings
 * @param local the server in this process, or null
 */
record Session(
        QueueUrl url,
        Auth auth,
        Settings settings,
        @Nullable LocalServer local) implements AutoCloseable {
    /** Finds the place and the credentials. Does not connect to a server, but starts that of an embedded store. */
    static Session open(Couchjobs root) {
        Settings settings = root.settings();
        QueueUrl url = settings.url();
        if (url.hasCredentials()) {
            root.say("couchjobs: warning: a password in the URL ends up in histories and process lists;"
                    + " use --user and " + Settings.PASSWORD);
        }
        if (settings.way().showsPassword()) {
            root.say("couchjobs: warning: a password in --proxy ends up in histories and process lists; use "
                    + ConnectionOptions.PROXY);
        }
        if (settings.insecure()) {
            root.say("couchjobs: warning: --insecure: the server's certificate is not checked, anybody can listen");
        }
        Optional<Path> folder = url.embedded();
        if (folder.isPresent()) {
            LocalServer local = LocalServer.inFolder(folder.get(), 0);
            return new Session(local.database(), new Auth.None(), settings, local);
        }
        return new Session(url, settings.auth(url), settings, null);
    }

    /** As {@link #open}, but an embedded store must exist: a mistyped folder must not become an empty store. */
    static Session openExisting(Couchjobs root) {
        root.settings()
                .url()
                .embedded()
                .filter(folder -> !EmbeddedCouch.isStore(folder))
                .ifPresent(folder -> {
                    throw new CommandException(
                            ExitCode.NOT_FOUND,
                            "there is no store in " + folder + "; to create it, run \"couchjobs init --url embedded:"
                                    + folder + "\"; --url names another");
                });
        return open(root);
    }

    /** Opens the queue. Its database must exist, except in an embedded store, where it is created. */
    JobQueue queue() {
        return queue(url, local != null);
    }

    /**
     * As {@link #queue()}, but works as the given site instead of the database's own; null stands for the database's own site.
     */
    JobQueue queueAt(@Nullable String site) {
        JobQueueBuilder builder = builder(url, local != null);
        return (site == null ? builder : builder.site(site)).open();
    }

    JobQueue queue(QueueUrl database, boolean createIfMissing) {
        return builder(database, createIfMissing).open();
    }

    JobQueueBuilder builder(QueueUrl database, boolean createIfMissing) {
        JobQueueBuilder builder = JobQueue.builder(database.database())
                .auth(auth)
                .insecure(settings.insecure())
                .createIfMissing(createIfMissing);
        database.others().forEach(builder::url);
        settings.connections().forEach(builder::connection);
        settings.caCertificate().ifPresent(builder::caCertificate);
        if (local == null) {
            settings.way().clientCertificate().ifPresent(builder::clientCertificate);
            settings.way().proxy(database.databases()).ifPresent(builder::proxy);
        }
        return builder;
    }

    /** {@return the configuration of the server's client, for operations that do not belong to one queue} */
    CouchConfig server() {
        CouchConfig.Builder config =
                CouchConfig.builder(url.servers().get(0)).auth(auth).insecure(settings.insecure());
        url.servers().stream().skip(1).forEach(config::node);
        settings.caCertificate().ifPresent(config::caCertificate);
        if (local == null) {
            settings.way().clientCertificate().ifPresent(config::clientCertificate);
            settings.way().proxy(url.servers()).ifPresent(config::proxy);
        }
        return config.build();
    }

    @Override
    public void close() {
        if (local != null) {
            local.close();
        }
    }
}
