package io.couchjobs.embedded.http;

import io.couchjobs.embedded.protocol.CouchError;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Splits and decodes request targets. */
final class Uris {
    private Uris() {}

    /** {@return the decoded segments of a path; a plus sign is a space, as in CouchDB} */
    static List<String> segments(String rawPath) {
        List<String> segments = new ArrayList<>();
        for (String raw : rawPath.split("/", -1)) {
            if (!raw.isEmpty()) {
                segments.add(decode(raw));
            }
        }
        return segments;
    }

    static Map<String, String> query(@Nullable String rawQuery) {
        Map<String, String> query = new LinkedHashMap<>();
        for (String pair : rawQuery == null ? new String[0] : rawQuery.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (!pair.isEmpty()) {
                String name = equals < 0 ? pair : pair.substring(0, equals);
                query.put(decode(name), equals < 0 ? "" : decode(pair.substring(equals + 1)));
            }
        }
        return query;
    }

    private static String decode(String raw) {
        try {
            return URLDecoder.decode(raw, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw CouchError.badRequest("invalid escape in the URL");
        }
    }
}
