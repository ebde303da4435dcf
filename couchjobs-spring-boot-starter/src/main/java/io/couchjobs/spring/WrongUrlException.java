package io.couchjobs.spring;

import java.net.URI;
import java.net.URISyntaxException;

/** Thrown for a {@code couchjobs.url} that is not the address of a database. No message shows it: it may contain a password. */
final class WrongUrlException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private WrongUrlException(String message) {
        super(message);
    }

    /** {@return the given address, after checking that it names a server and a database} */
    static String check(String url) {
        if (url.isBlank()) {
            throw new WrongUrlException("is empty");
        }
        try {
            URI parsed = new URI(url);
            boolean http = "http".equals(parsed.getScheme()) || "https".equals(parsed.getScheme());
            if (!http || parsed.getRawAuthority() == null) {
                throw new WrongUrlException("is not a URL that begins with http:// or https://");
            } else if (parsed.getRawPath().replace("/", "").isEmpty()) {
                throw new WrongUrlException("names a server, but no database");
            }
            return url;
        } catch (URISyntaxException notAUrl) {
            throw new WrongUrlException("is not a URL: " + notAUrl.getReason());
        }
    }
}
