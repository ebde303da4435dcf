package io.couchjobs.couch;

import java.io.Serializable;

/**
 * The progress of the index of a design document that is catching up with the documents. Immutable and thread-safe.
 *
 * @param designDoc the design document's name, without {@code _design/}
 * @param database the database's name
 * @param percent how much of the changes it knows, 0 to 100; -1 when the server does not say, as it tells administrators only
 */
public record IndexProgress(String designDoc, String database, int percent) implements Serializable {
    private static final long serialVersionUID = 1L;

    /** {@return one line for people, such as {@code building the index lists-1a2b3c4d of couchjobs: 43 %}} */
    public String text() {
        return "building the index " + designDoc + " of " + database + (percent < 0 ? "" : ": " + percent + " %");
    }
}
