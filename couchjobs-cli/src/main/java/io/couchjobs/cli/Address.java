package io.couchjobs.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An address to listen on.
 *
 * @param host a host name or IP address
 * @param port the port; 0 for a free one
 */
record Address(String host, int port) {
    private static final Pattern TEXT = Pattern.compile("(?:(\\[[^\\]]+\\]|[^:\\[\\]]*):)?(\\d{1,5})");

    /** Reads {@code HOST:PORT}, {@code :PORT} or {@code PORT}; without a host, the address is 127.0.0.1. */
    static Address parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches() || Integer.parseInt(parts.group(2)) > 65_535) {
            throw CommandException.usage("not an address to listen on: '" + text + "' (give HOST:PORT)");
        }
        String host = parts.group(1) == null || parts.group(1).isEmpty() ? "127.0.0.1" : parts.group(1);
        return new Address(host, Integer.parseInt(parts.group(2)));
    }
}
