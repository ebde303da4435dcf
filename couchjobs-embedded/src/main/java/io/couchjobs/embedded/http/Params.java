package io.couchjobs.embedded.http;

import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import java.util.List;
import java.util.function.Predicate;

/** Parses query parameters that several resources share. */
final class Params {
    private Params() {}

    static long number(String name, String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw CouchError.queryParse("Invalid value for integer: \"" + text + "\" (" + name + ")");
        }
    }

    private static long count(String name, String text) {
        long number = number(name, text);
        if (number < 0) {
            throw CouchError.queryParse("Invalid value for positive integer: \"" + text + "\"");
        }
        return number;
    }

    /** {@return the names that {@code startkey}, {@code endkey}, {@code skip} and {@code limit} select} */
    static List<String> page(Call call, List<String> names) {
        Predicate<String> wanted = name -> true;
        String start = call.param("startkey")
                .or(() -> call.param("start_key"))
                .map(Params::string)
                .orElse(null);
        String end = call.param("endkey")
                .or(() -> call.param("end_key"))
                .map(Params::string)
                .orElse(null);
        wanted = start == null ? wanted : wanted.and(name -> name.compareTo(start) >= 0);
        wanted = end == null ? wanted : wanted.and(name -> name.compareTo(end) <= 0);
        return names.stream()
                .filter(wanted)
                .skip(call.param("skip").map(text -> count("skip", text)).orElse(0L))
                .limit(call.param("limit").map(text -> count("limit", text)).orElse(Long.MAX_VALUE))
                .toList();
    }

    private static String string(String json) {
        return Json.parse(json).asText();
    }
}
