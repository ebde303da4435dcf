package io.couchjobs.embedded.store;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.protocol.Json;
import java.time.Instant;
import org.h2.mvstore.MVMap;

/** The settings of a database, and its creation time. Thread-safe. */
public final class Settings {
    private static final String ADMINS_ONLY =
            "{\"members\":{\"roles\":[\"_admin\"]},\"admins\":{\"roles\":[\"_admin\"]}}";

    private final MVMap<String, String> meta;
    private final Commits commits;

    Settings(MVMap<String, String> meta, Commits commits) {
        this.meta = meta;
        this.commits = commits;
    }

    /** {@return the creation time of the database, in seconds since 1970; 0 in old files, which do not contain it} */
    public long created() {
        return Long.parseLong(meta.getOrDefault("created", "0"));
    }

    /** Sets the creation time. Does not commit: the caller's change, which creates the database, is committed as a whole. */
    void created(Instant now) {
        meta.put("created", Long.toString(now.getEpochSecond()));
    }

    /** {@return how many revisions of each branch a tree keeps; 1000 unless set} */
    public int revsLimit() {
        return Integer.parseInt(meta.getOrDefault("revs_limit", "1000"));
    }

    public void revsLimit(int limit) {
        set("revs_limit", Integer.toString(limit));
    }

    /** {@return the limit of remembered purges; stored, but without effect in this server} */
    public int purgedInfosLimit() {
        return Integer.parseInt(meta.getOrDefault("purged_infos_limit", "1000"));
    }

    public void purgedInfosLimit(int limit) {
        set("purged_infos_limit", Integer.toString(limit));
    }

    /** {@return the security object; unless set, it admits administrators only} */
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
