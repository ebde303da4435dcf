package io.couchjobs.engine.alarm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.admin.Alarms;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The state of the alarms: the raised alarms, how many looks in a row found a rule broken or not, and which process has the turn to
 * look.
 */
record AlarmDocument(ObjectNode document) {
    private static final int MOST = 100;
    private static final String BY = "by";
    private static final String AT = "at";
    private static final String OPEN = "open";
    private static final String RULE = "rule";
    private static final String SUBJECT = "subject";
    private static final String FINDING = "finding";
    private static final String BAD = "bad";
    private static final String GOOD = "good";
    private static final String SINCE = "since";
    /** False until the alarm was reported to the targets. An alarm without this field counts as reported. */
    private static final String TOLD = "told";

    /** A raised alarm, identified by its key and the time at which it was raised. */
    record Raised(String key, long since) {
        static Raised of(Alarms.Alarm alarm) {
            return new Raised(keyOf(alarm), alarm.since().toEpochMilli());
        }
    }

    /**
     * Returns whether another process looked less than a turn ago. Small differences of clocks are allowed; a time far in the
     * future is ignored.
     */
    boolean isTurnOfAnother(String watcher, Instant now, Duration turn) {
        JsonNode by = document.path(BY);
        return by.isTextual() && !by.asText().equals(watcher) && age(now).compareTo(turn) < 0;
    }

    /** Takes or keeps the turn. A turn that was taken less than half a turn ago is not renewed, which saves a write. */
    void takeTurn(String watcher, Instant now, Duration turn) {
        boolean isOurs = document.path(BY).asText().equals(watcher);
        if (!isOurs || age(now).compareTo(turn.dividedBy(2)) >= 0) {
            document.put(BY, watcher).put(AT, now.toEpochMilli());
        }
    }

    private Duration age(Instant now) {
        return Duration.between(Instant.ofEpochMilli(document.path(AT).asLong()), now)
                .abs();
    }

    /** Records the findings of a look. Returns the alarms that the look raised or ended. */
    List<Alarms.Alarm> take(Look.Findings findings, int looks, Instant now) {
        Map<String, Sighting> bad = new LinkedHashMap<>();
        findings.found().forEach(sighting -> bad.put(sighting.key(), sighting));
        ObjectNode open = document.withObject("/" + OPEN);
        TreeSet<String> keys = new TreeSet<>(bad.keySet());
        open.fieldNames().forEachRemaining(keys::add);
        List<Alarms.Alarm> news = new ArrayList<>();
        for (String key : keys) {
            Sighting sighting = bad.get(key);
            if (sighting == null) {
                if (!findings.unjudged().contains(open.path(key).path(RULE).asText())) {
                    missed(open, key, looks, now, news);
                }
            } else if (open.has(key) || open.size() < MOST) {
                seen(open.withObject(pointer(key)), sighting, looks, now, news);
            }
        }
        return news;
    }

    /** {@return the raised alarms that are not recorded as reported} */
    List<Alarms.Alarm> untold() {
        List<Alarms.Alarm> untold = new ArrayList<>();
        for (JsonNode entry : document.path(OPEN)) {
            if (entry instanceof ObjectNode raised
                    && raised.has(SINCE)
                    && !raised.path(TOLD).asBoolean(true)) {
                untold.add(alarm(raised, true, since(raised)));
            }
        }
        return untold;
    }

    /** Records that alarms were reported. An alarm that was raised again since counts as a new alarm, and stays unreported. */
    void told(Collection<Raised> alarms) {
        for (Raised alarm : alarms) {
            if (document.path(OPEN).path(alarm.key()) instanceof ObjectNode entry
                    && entry.path(SINCE).asLong() == alarm.since()) {
                entry.remove(TOLD);
            }
        }
    }

    /** {@return whether the document contains the look that raised or ended an alarm} */
    boolean hasTaken(Alarms.Alarm alarm) {
        JsonNode entry = document.path(OPEN).path(keyOf(alarm));
        return alarm.raised() ? entry.path(SINCE).asLong() == alarm.since().toEpochMilli() : entry.isMissingNode();
    }

    private static void seen(ObjectNode entry, Sighting sighting, int looks, Instant now, List<Alarms.Alarm> news) {
        entry.put(RULE, sighting.rule()).put(SUBJECT, sighting.subject()).put(FINDING, sighting.finding());
        entry.remove(GOOD);
        if (!entry.has(SINCE)) {
            entry.put(BAD, entry.path(BAD).asInt() + 1);
            if (entry.path(BAD).asInt() >= looks) {
                entry.remove(BAD);
                entry.put(SINCE, now.toEpochMilli()).put(TOLD, false);
                news.add(alarm(entry, true, now));
            }
        }
    }

    private static void missed(ObjectNode open, String key, int looks, Instant now, List<Alarms.Alarm> news) {
        ObjectNode entry = open.withObject(pointer(key));
        entry.put(GOOD, entry.path(GOOD).asInt() + 1);
        boolean isRaised = entry.has(SINCE);
        if (isRaised && entry.path(GOOD).asInt() >= looks) {
            news.add(alarm(entry, false, now));
        }
        if (!isRaised || entry.path(GOOD).asInt() >= looks) {
            open.remove(key);
        }
    }

    private static Alarms.Alarm alarm(ObjectNode entry, boolean raised, Instant now) {
        return new Alarms.Alarm(
                entry.path(RULE).asText(),
                entry.path(SUBJECT).asText(),
                raised,
                entry.path(FINDING).asText(),
                now,
                since(entry));
    }

    private static Instant since(ObjectNode entry) {
        return Instant.ofEpochMilli(entry.path(SINCE).asLong());
    }

    private static String keyOf(Alarms.Alarm alarm) {
        return new Sighting(alarm.rule(), alarm.subject(), "").key();
    }

    /** Returns a JSON Pointer to a key. The key is escaped because a type may contain any character except a colon. */
    private static String pointer(String key) {
        return "/" + key.replace("~", "~0").replace("/", "~1");
    }
}
