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
 * CouchDB's order of JSON values, as bytes that compare like the values: null, false, true, numbers, strings (ICU, root
 * locale), arrays, objects. No key is a prefix of another one. Thread-safe.
 *
 * @see <a href="https://docs.couchdb.org/en/stable/ddocs/views/collation.html">View collation</a>
 */
public final class Collation {
    private static final Collator ICU = Collator.getInstance(ULocale.ROOT).freeze();
    private static final int END = 0;

    private Collation() {}

    /** The bytes of a value; compare them unsigned. */
    public static byte[] key(JsonNode value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(64);
        write(value, out);
        return out.toByteArray();
    }

    /** The bytes of a value where strings are compared as they are, as the ids of documents are, and come last. */
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

    /** ICU ends its keys with a zero byte and has none inside. */
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
