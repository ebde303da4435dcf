package io.couchjobs.embedded.store;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.protocol.Json;
import java.time.Instant;
import org.h2.mvstore.MVMap;

/** The settings of a database, and the time when it was made. Thread-safe. */
public final class Settings {
    private static final String ADMINS_ONLY =
            "{\"members\":{\"roles\":[\"_admin\"]},\"admins\":{\"roles\":[\"_admin\"]}}";

    private final MVMap<String, String> meta;
    private final Commits commits;

    Settings(MVMap<String, String> meta, Commits commits) {
        this.meta = meta;
        this.commits = commits;
    }

    /** {@return the second in which the database was made, since 1970; 0 in old files, which do not tell} */
    public long created() {
        return Long.parseLong(meta.getOrDefault("created", "0"));
    }

    /** Part of the change that makes the database, which is committed as a whole. */
    void created(Instant now) {
        meta.put("created", Long.toString(now.getEpochSecond()));
    }

    /** {@return how many generations a tree keeps; 1000 unless set} */
    public int revsLimit() {
        return Integer.parseInt(meta.getOrDefault("revs_limit", "1000"));
    }

    public void revsLimit(int limit) {
        set("revs_limit", Integer.toString(limit));
    }

    /** {@return how many purges a server would remember; kept, but without effect here} */
    public int purgedInfosLimit() {
        return Integer.parseInt(meta.getOrDefault("purged_infos_limit", "1000"));
    }

    public void purgedInfosLimit(int limit) {
        set("purged_infos_limit", Integer.toString(limit));
    }

    /** {@return the security object; administrators only, unless set} */
    public JsonNode security() {
        return Json.parse(meta.getOrDefault("security", ADMINS_ONLY));
    }

    public void security(JsonNode security) {
        set("security", Json.text(security));
    }

    private void set(String key, String value) {
        commits.durably(() -> meta.put(key, value));
    }
}
