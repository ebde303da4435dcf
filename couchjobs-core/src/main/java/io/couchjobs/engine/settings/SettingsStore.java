package io.couchjobs.engine.settings;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.PatientListener;
import io.couchjobs.engine.store.SharedDocuments;
import io.couchjobs.engine.store.SharedWriter;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobType;
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.type.RetryPolicy;
import io.couchjobs.type.TypeSettings;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The settings of types. Remembers the settings that were read. Once the store listens to the feed, changes made anywhere
 * reach it within moments, and no settings are read twice. Thread-safe.
 */
public final class SettingsStore implements PatientListener {
    private static final Duration RECENT = Duration.ofSeconds(10);
    private static final int MOST_COMPLAINTS = 1_000;
    private static final Logger log = LoggerFactory.getLogger(SettingsStore.class);

    /** Confirms unchanged settings, too, because the caller needs to know that they stand. */
    private static final SharedWriter.Kind KIND = new SharedWriter.Kind() {
        @Override
        public boolean confirmsAlways() {
            return true;
        }

        @Override
        public CouchJobsException contended(String docId, int attempts) {
            return new CouchJobsException("the settings of " + docId.substring(DocIds.TYPE.length())
                    + " were changed by others " + attempts + " times while this was tried; nothing was written");
        }
    };

    private final CouchDatabase database;
    private final SharedWriter writer;
    private final Environment environment;
    private final Duration defaultTimeout;
    private final Map<String, Known> known = new ConcurrentHashMap<>();
    private final Map<String, Long> readNanos = new ConcurrentHashMap<>();
    /** The last known timeout of each type, kept even after a gap. */
    private final Map<String, Duration> timeouts = new ConcurrentHashMap<>();

    private final Map<String, Long> shortenedNanos = new ConcurrentHashMap<>();
    private final Set<String> complaints = ConcurrentHashMap.newKeySet();
    /** How often the feed reported settings or a gap; counted before settings are remembered. */
    private final AtomicLong news = new AtomicLong();
    /** Whether the feed runs; it reports a gap when it starts. */
    private volatile boolean followed;

    /**
     * Creates a store that knows no settings yet. Does no I/O.
     *
     * @param defaultTimeout the timeout of types that have none
     */
    public SettingsStore(CouchDatabase database, Duration defaultTimeout) {
        this.database = database;
        this.writer = new SharedWriter(database, KIND);
        this.environment = ServerAccess.environment(database.server());
        this.defaultTimeout = defaultTimeout;
    }

    /** Reads the settings of a type from the database. Returns empty settings when there is no document. */
    public TypeSettings read(String type) {
        long before = news.get();
        OptionalLong began = OptionalLong.of(environment.nanos());
        TypeSettings settings =
                writer.read(TypeSettings.docId(type)).map(TypeSettings::of).orElseGet(() -> TypeSettings.none(type));
        complain(settings);
        remember(settings, before, began);
        return settings;
    }

    /**
     * Remembers settings, unless newer ones are known or the feed has had a gap meanwhile.
     *
     * @param newsBefore the value of {@link #news} when the reading began
     * @param began the time when the reading began; empty for a reading of one copy
     */
    private void remember(TypeSettings read, long newsBefore, OptionalLong began) {
        long now = environment.nanos();
        readNanos.put(read.type(), now);
        known.compute(read.type(), (type, heard) -> {
            boolean isSince = began.isPresent() && heard != null && began.getAsLong() - heard.nanos > 0;
            Known kept = newer(new Known(read, now), heard, news.get() != newsBefore, isSince);
            if (kept != null && kept.settings == read) {
                noteTimeout(read);
            }
            return kept;
        });
    }

    /**
     * Returns the settings to remember. A copy in a cluster may lack settings that the feed has reported. While the feed
     * does not run, a reading that began after the known settings were heard of always counts.
     */
    private @Nullable Known newer(Known read, @Nullable Known heard, boolean isNews, boolean isSince) {
        if (heard == null) {
            return isNews ? null : read;
        }
        if (isSince && !followed) {
            return read;
        }
        boolean isNewer = read.isNothing() ? !isNews : read.generation >= heard.generation;
        return isNewer ? read : heard;
    }

    /**
     * Stores the moment at which a timeout became shorter, and then the timeout. Both are stored before the settings are
     * known: an owner that saw only the shorter timeout would take its lease for over.
     */
    private void noteTimeout(TypeSettings settings) {
        Duration timeout = settings.timeout().orElse(defaultTimeout);
        Duration before = timeouts.get(settings.type());
        if (before != null && timeout.compareTo(before) < 0) {
            shortenedNanos.put(settings.type(), environment.nanos());
        }
        timeouts.put(settings.type(), timeout);
    }

    /** Returns the settings of a type as last heard of. Reads them when none are known. */
    public TypeSettings get(String type) {
        Known heard = known.get(type);
        return heard == null ? read(type) : heard.settings;
    }

    /**
     * Returns the settings of a type as they were a few seconds ago at most, even in a process that follows no feed. Reads
     * them when they were not read lately.
     */
    public TypeSettings recent(String type) {
        Known heard = known.get(type);
        boolean isOld = !followed && environment.nanos() - readNanos.getOrDefault(type, 0L) > RECENT.toNanos();
        return heard == null || isOld ? read(type) : heard.settings;
    }

    /** {@return how long an owner of a job of this type may be silent: the type's timeout, or the queue's default} */
    public Duration timeoutOf(String type) {
        return get(type).timeout().orElse(defaultTimeout);
    }

    /**
     * Returns the time from which the silence of an owner counts: its last renewal. When the timeout becomes shorter, the
     * owner still has half of the new timeout to renew its lease, because monitors count anew when they hear of the change.
     * Does no I/O.
     *
     * @param renewedNanos the last renewal, on the monotonic clock
     */
    public long silentSince(String type, long renewedNanos) {
        Long shortened = shortenedNanos.get(type);
        if (shortened == null) {
            return renewedNanos;
        }
        long earliest = shortened - lastTimeoutOf(type).toNanos() / 2;
        return earliest - renewedNanos > 0 ? earliest : renewedNanos;
    }

    /**
     * Returns whether the settings of a type are known. After a gap in the feed they are not known until they are read or
     * reported again. Does no I/O.
     */
    public boolean isKnown(String type) {
        return known.containsKey(type);
    }

    /**
     * Returns the timeout of a type as this process last heard of it, even before a gap; otherwise the queue's default.
     * Does no I/O.
     */
    public Duration lastTimeoutOf(String type) {
        return timeouts.getOrDefault(type, defaultTimeout);
    }

    /** {@return when and how often failed jobs of this type run again} */
    public RetryPolicy retryPolicyOf(String type) {
        return get(type).retryPolicy();
    }

    /** {@return the settings of all types that have any, by type} */
    public Map<String, TypeSettings> readAll() {
        long before = news.get();
        Map<String, TypeSettings> all = new TreeMap<>();
        new SharedDocuments(database)
                .readAll(DocIds.TYPE).stream()
                        .filter(document -> isOfAType(document.path("_id").asText()))
                        .map(TypeSettings::of)
                        .forEach(settings -> all.put(settings.type(), settings));
        all.values().forEach(settings -> remember(settings, before, OptionalLong.empty()));
        return all;
    }

    /** {@return the longest time for which an owner of a job of any type may be silent, by the present settings} */
    public Duration longestTimeout() {
        return readAll().values().stream()
                .flatMap(settings -> settings.timeout().stream())
                .filter(timeout -> timeout.compareTo(defaultTimeout) > 0)
                .max(Comparator.naturalOrder())
                .orElse(defaultTimeout);
    }

    /**
     * Changes the settings of a type. Changes by other processes at the same time are kept.
     *
     * @throws UnconfirmedException when no majority of a cluster's copies confirms the change, which was taken back as far
     *     as possible
     */
    public TypeSettings change(String type, UnaryOperator<TypeSettings> change) {
        long before = news.get();
        OptionalLong began = OptionalLong.of(environment.nanos());
        ObjectNode stored = writer.change(TypeSettings.docId(type), document -> change.apply(TypeSettings.of(document))
                .toDocument());
        TypeSettings settings = TypeSettings.of(stored);
        complain(settings);
        remember(settings, before, began);
        return settings;
    }

    /** Stores the settings that a type declares, where the database has none for the type; see {@link JobType}. */
    public void define(JobType<?> type) {
        boolean saysNothing = type.timeout().isEmpty() && type.retention().isEmpty();
        if (saysNothing) {
            return;
        }
        TypeSettings present = read(type.name());
        if (present.withDefaultsOf(type) != present) {
            change(type.name(), settings -> settings.withDefaultsOf(type));
        }
    }

    @Override
    public void changed(FeedEvent event) {
        if (isOfAType(event.docId())) {
            String type = event.docId().substring(DocIds.TYPE.length());
            TypeSettings settings = event.document() == null || event.deleted()
                    ? TypeSettings.none(type)
                    : TypeSettings.of(event.document());
            complain(settings);
            news.incrementAndGet();
            hear(new Known(settings, event.generation(), environment.nanos()));
        }
    }

    /**
     * Remembers settings that the feed reported. If the feed is behind what this process has read or written, the settings
     * are forgotten, and read again when needed.
     */
    private void hear(Known told) {
        TypeSettings settings = told.settings;
        known.compute(settings.type(), (type, heard) -> {
            if (heard != null && heard.generation > told.generation) {
                return null;
            }
            noteTimeout(settings);
            return told;
        });
    }

    /**
     * Settings as they are or were in the database.
     *
     * @param generation the generation of the document, even of a deleted one; 0 when none was found
     * @param nanos when this process heard of the settings, on the monotonic clock
     */
    private record Known(TypeSettings settings, long generation, long nanos) {
        Known(TypeSettings settings, long nanos) {
            this(settings, settings.generation(), nanos);
        }

        boolean isNothing() {
            return generation == 0;
        }
    }

    /**
     * Returns whether a document id is that of a type's settings. Anybody can write a document whose id has {@code type:}
     * and then an invalid name.
     */
    private static boolean isOfAType(String docId) {
        return docId.startsWith(DocIds.TYPE)
                && JobId.fromDocId(DocIds.JOB + docId.substring(DocIds.TYPE.length()) + ":1")
                        .filter(job -> job.docId().equals(DocIds.JOB + job.type() + ":1"))
                        .isPresent();
    }

    /** Logs each mistake once, however often it is read. */
    private void complain(TypeSettings settings) {
        for (String problem : settings.problems()) {
            String complaint = settings.type() + ": " + problem;
            if (complaints.size() < MOST_COMPLAINTS && complaints.add(complaint)) {
                log.warn(
                        "settings of type {}; until that is corrected it counts as not set, and an invalid retention keeps all jobs",
                        complaint);
            }
        }
    }

    @Override
    public void gap() {
        followed = true;
        news.incrementAndGet();
        known.clear();
    }
}
