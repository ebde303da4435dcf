package io.couchjobs.embedded.protocol;

import com.fasterxml.jackson.databind.JsonNode;
import com.ibm.icu.text.Collator;
import com.ibm.icu.text.RawCollationKey;
import com.ibm.icu.util.ULocale;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Encodes JSON values as bytes that compare in CouchDB's collation order: null, false, true, numbers, strings (ICU, root locale),
 * arrays, objects. No encoded key is a prefix of another. Thread-safe.
 *
 * @see <a href="https://docs.couchdb.org/en/stable/ddocs/views/collation.html">View collation</a>
 */
public final class Collation {
    private static final Collator ICU = Collator.getInstance(ULocale.ROOT).freeze();
    private static final int END = 0;

    private Collation() {}

    /** Returns the encoded bytes of a value, for unsigned comparison. */
    public static byte[] key(JsonNode value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(64);
        write(value, out);
        return out.toByteArray();
    }

    /** Returns the bytes of a value for raw collation: strings compare by UTF-8 bytes, like document ids, and come last. */
    public static byte[] rawKey(JsonNode value) {
        if (!value.isTextual()) {
            return key(value);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(64);
        out.write(8);
        out.writeBytes(value.textValue().getBytes(StandardCharsets.UTF_8));
        return out.toByteArray();
    }

    private static void write(JsonNode value, ByteArrayOutputStream out) {
        switch (value.getNodeType()) {
            case BOOLEAN -> out.write(value.booleanValue() ? 3 : 2);
            case NUMBER -> writeNumber(value.doubleValue(), out);
            case STRING -> writeString(value.textValue(), out);
            case ARRAY -> writeArray(value, out);
            case OBJECT -> writeObject(value, out);
            case NULL, MISSING, BINARY, POJO -> out.write(1);
        }
    }

    private static void writeNumber(double number, ByteArrayOutputStream out) {
        long bits = Double.doubleToLongBits(number == 0 ? 0.0 : number);
        long sortable = bits < 0 ? ~bits : bits | Long.MIN_VALUE;
        out.write(4);
        out.writeBytes(ByteBuffer.allocate(Long.BYTES).putLong(sortable).array());
    }

    /** Writes the ICU sort key, which ends with a zero byte and contains no other. */
    private static void writeString(String text, ByteArrayOutputStream out) {
        RawCollationKey raw = ICU.getRawCollationKey(text, null);
        out.write(5);
        out.write(raw.bytes, 0, raw.size);
    }

    private static void writeArray(JsonNode array, ByteArrayOutputStream out) {
        out.write(6);
        array.forEach(element -> write(element, out));
        out.write(END);
    }

    private static void writeObject(JsonNode object, ByteArrayOutputStream out) {
        out.write(7);
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            writeString(field.getKey(), out);
            write(field.getValue(), out);
        }
        out.write(END);
    }
}
