package io.couchjobs.cli.demo;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The SHA-256 of a file, in constant memory.
 *
 * @param sha256 64 hexadecimal digits
 * @param bytes the file's length as read
 */
record Sha256(String sha256, long bytes) {
    static Sha256 of(Path file) throws IOException, InterruptedException {
        MessageDigest digest = digest();
        byte[] buffer = new byte[64 * 1024];
        long bytes = 0;
        try (InputStream in = Files.newInputStream(file)) {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                digest.update(buffer, 0, count);
                bytes += count;
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
        }
        return new Sha256(HexFormat.of().formatHex(digest.digest()), bytes);
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
