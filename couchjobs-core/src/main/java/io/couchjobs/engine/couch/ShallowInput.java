package io.couchjobs.engine.couch;

import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * Filters JSON so that levels that are nested too deeply are omitted: objects and arrays of the deepest level are empty.
 * CouchDB stores documents with millions of levels, and such a document must not make the whole answer fail. This filter
 * needs no memory per level.
 */
final class ShallowInput extends FilterInputStream {
    /** More levels than fit into the largest document that CouchDB accepts by default (8 MB). */
    private static final int ENDLESS = 4 << 20;

    private final int deepest;
    private int depth;
    private boolean inString;
    private boolean isEscaped;

    ShallowInput(InputStream json, int deepest) {
        super(json);
        this.deepest = deepest;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        int kept = 0;
        int count = 1;
        while (kept == 0 && count > 0) {
            count = super.read(buffer, offset, length);
            for (int i = offset; i < offset + count; i++) {
                if (isKept(buffer[i])) {
                    buffer[offset + kept++] = buffer[i];
                }
            }
        }
        return kept == 0 ? count : kept;
    }

    @Override
    public long skip(long most) {
        throw new UnsupportedOperationException("what is skipped would have to be read");
    }

    @Override
    public boolean markSupported() {
        return false;
    }

    private boolean isKept(byte next) throws StreamConstraintsException {
        if (depth > ENDLESS) {
            throw new StreamConstraintsException("it is nested deeper than " + ENDLESS + " levels");
        }
        if (inString) {
            inString = isEscaped || next != '"';
            isEscaped = !isEscaped && next == '\\';
            return depth < deepest;
        }
        return switch (next) {
            case '[', '{' -> depth++ < deepest;
            case ']', '}' -> --depth < deepest;
            case '"' -> {
                inString = true;
                yield depth < deepest;
            }
            default -> depth < deepest;
        };
    }
}
