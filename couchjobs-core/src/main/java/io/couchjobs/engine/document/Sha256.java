package io.couchjobs.engine.document;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Makes short names for long texts. Stateless. */
public final class Sha256 {
    private Sha256() {}

    /**
     * {@return the first bytes of the SHA-256 of a text, in hex}
     *
     * @param bytes how many bytes to return, 32 at most
     */
    public static String hex(String text, int bytes) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }
}
