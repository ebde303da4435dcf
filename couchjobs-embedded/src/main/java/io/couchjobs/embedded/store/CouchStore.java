package io.couchjobs.embedded.store;

import io.couchjobs.embedded.protocol.CouchError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.jspecify.annotations.Nullable;

/** The databases of one server: in memory, or in one file that survives the death of the process. Thread-safe. */
public final class CouchStore implements AutoCloseable {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_$()+/-]*|_users|_replicator|_global_changes");
    private static final String FILE = "couchjobs-embedded.mv";
    private static final String CATALOG = "databases";
    private static final int LONGEST_NAME = 238;

    private final MVStore store;
    private final Commits commits;
    private final MVMap<String, String> catalog;
    private final Map<String, Database> open = new ConcurrentHashMap<>();

    private CouchStore(MVStore store, boolean persistent) {
        this.store = store;
        this.commits = new Commits(store, persistent);
        this.catalog = store.openMap(CATALOG);
        catalog.forEach((name, uuid) -> open.put(name, open(name, uuid)));
    }

    /** Opens the store in a folder, which is created if missing; null keeps the data in memory. */
    public static CouchStore open(@Nullable Path directory) {
        return directory == null ? new CouchStore(new MVStore.Builder().open(), false) : onDisk(directory);
    }

    /** {@return whether a folder contains a store} */
    public static boolean isIn(Path directory) {
        return Files.isRegularFile(directory.resolve(FILE));
    }

    /** Opens a store on disk, without automatic commits: they could store a change of several maps in part. */
    private static CouchStore onDisk(Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String file = directory.resolve(FILE).toString();
        MVStore store = opened(file);
        try {
            requireCatalog(store);
            return new CouchStore(store, true);
        } catch (RuntimeException | AssertionError broken) {
            store.closeImmediately();
            throw damaged(file, broken);
        }
    }

    private static MVStore opened(String file) {
        try {
            return new MVStore.Builder()
                    .fileName(file)
                    .autoCommitDisabled()
                    .autoCommitBufferSize(0)
                    .open();
        } catch (RuntimeException | AssertionError broken) {
            if (broken instanceof MVStoreException known) {
                if (known.getErrorCode() == DataUtils.ERROR_FILE_LOCKED) {
                    throw inUse(file);
                }
                if (String.valueOf(known.getMessage()).contains(FILE)) {
                    throw known; // the file cannot be opened
                }
            }
            throw damaged(file, broken);
        }
    }

    private static IllegalStateException inUse(String file) {
        Path directory = Path.of(file).getParent();
        return new IllegalStateException("the store " + directory + " is in use already; \"couchjobs serve --dir "
                + directory + "\" lets several use it");
    }

    /** Fails without a list of databases. The library treats a file without a root as empty, and would overwrite it. */
    private static void requireCatalog(MVStore store) {
        if (store.getCurrentVersion() > 0 && !store.hasMap(CATALOG)) {
            throw new IllegalStateException("it has no list of databases any more");
        }
    }

    /** Returns the exception for a damaged file, for which the library throws exceptions of many types. */
    private static UncheckedIOException damaged(String file, Throwable broken) {
        return new UncheckedIOException(new IOException("the file " + file + " is damaged: " + broken, broken));
    }

    public List<String> names() {
        return catalog.keyList();
    }

    public Optional<Database> find(String name) {
        return Optional.ofNullable(open.get(name));
    }

    public Database get(String name) {
        return find(name).orElseThrow(CouchError::noDatabase);
    }

    public void create(String name) {
        create(name, Instant.now());
    }

    /** Creates a database with a given creation time. All copies of a database have the same. */
    public synchronized void create(String name, Instant now) {
        checkName(name);
        if (open.containsKey(name)) {
            throw CouchError.exists();
        }
        String uuid = UUID.randomUUID().toString().replace("-", "");
        open.put(name, commits.durably(() -> {
            catalog.put(name, uuid);
            Database made = open(name, uuid);
            made.settings().created(now);
            return made;
        }));
    }

    private static void checkName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new CouchError(
                    400,
                    "illegal_database_name",
                    "Name: '" + name + "'. Only lowercase characters (a-z), digits (0-9), and any of the characters"
                            + " _, $, (, ), +, -, and / are allowed. Must begin with a letter.");
        }
        if (name.length() > LONGEST_NAME) {
            throw new CouchError(
                    400, "database_name_too_long", "The database name '" + name + "' is longer than 238 characters.");
        }
    }

    private Database open(String name, String uuid) {
        return new Database(name, uuid, store, commits);
    }

    public synchronized void delete(String name) {
        Database database = get(name);
        open.remove(name);
        database.close();
        commits.durably(() -> {
            catalog.remove(name);
            database.drop();
            return name;
        });
    }

    /** Ends all feeds. A later feed does not wait for changes. */
    public void endFeeds() {
        open.values().forEach(Database::close);
    }

    /**
     * Ends all feeds and closes the store. Acknowledged writes are already on disk.
     *
     * @throws UncheckedIOException when the file is found to be damaged; the file is closed anyway
     */
    @Override
    public void close() {
        endFeeds();
        try {
            store.close();
        } catch (MVStoreException | AssertionError broken) {
            store.closeImmediately();
            if (store.getFileStore() == null || isOfTheDisk(broken)) {
                throw broken;
            }
            throw damaged(store.getFileStore().getFileName(), broken);
        }
    }

    /** Returns whether writing failed, for example because the disk is full. The file is then not damaged. */
    private static boolean isOfTheDisk(Throwable broken) {
        return broken instanceof MVStoreException known && known.getErrorCode() == DataUtils.ERROR_WRITING_FAILED;
    }
}
