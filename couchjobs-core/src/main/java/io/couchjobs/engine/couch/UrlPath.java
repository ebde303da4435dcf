package io.couchjobs.engine.couch;

import java.nio.charset.StandardCharsets;
import org.apache.hc.core5.net.PercentCodec;

/**
 * An encoded path on the server, with its query. All names in URLs are encoded by this class. Immutable.
 *
 * <p>All characters except letters, digits and {@code - . _ ~} are percent-encoded, so a plus, a slash or a percent sign in a
 * name is part of the name. The slashes after {@code _design} and {@code _local} are separators and are not encoded.
 */
public final class UrlPath {

    public static final UrlPath ROOT = new UrlPath("");

    private static final String DESIGN = "_design/";
    private static final String LOCAL = "_local/";

    private final String encoded;

    private UrlPath(String encoded) {
        this.encoded = encoded;
    }

    /** Returns a path that is already encoded. */
    public static UrlPath ofEncoded(String path) {
        return new UrlPath(path);
    }

    public UrlPath segment(String name) {
        return new UrlPath(encoded + "/" + encode(name));
    }

    public UrlPath document(String id) {
        if (id.isEmpty()) {
            throw new IllegalArgumentException("a document id cannot be empty");
        }
        if (id.startsWith(DESIGN)) {
            return designDoc(id);
        }
        return id.startsWith(LOCAL) ? segment("_local").segment(id.substring(LOCAL.length())) : segment(id);
    }

    public UrlPath designDoc(String name) {
        return segment("_design").segment(designName(name));
    }

    public UrlPath query(String name, String value) {
        char separator = encoded.indexOf('?') < 0 ? '?' : '&';
        return new UrlPath(encoded + separator + encode(name) + "=" + encode(value));
    }

    public static String designName(String designDoc) {
        String name = designDoc.startsWith(DESIGN) ? designDoc.substring(DESIGN.length()) : designDoc;
        if (name.isEmpty()) {
            throw new IllegalArgumentException("a design document needs a name");
        }
        return name;
    }

    static String encode(String name) {
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
            throw new IllegalArgumentException("half a character (a lone surrogate) in a name: " + name);
        }
        if (name.equals(".") || name.equals("..")) {
            return name.replace(".", "%2E"); // otherwise a proxy would resolve it against the path
        }
        return PercentCodec.encode(name, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return encoded.isEmpty() ? "/" : encoded;
    }
}
