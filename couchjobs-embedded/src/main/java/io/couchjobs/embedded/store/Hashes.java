package io.couchjobs.embedded.store;

import io.couchjobs.embedded.tree.Revision;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Computes revisions and digests from contents. Equal writes to the same revision result in the same new revision. */
final class Hashes {
    private Hashes() {}

    static Revision next(@Nullable Revision parent, boolean deleted, byte[] body) {
        MessageDigest md5 = md5();
        md5.update((parent + (deleted ? "-" : "+")).getBytes(StandardCharsets.UTF_8));
        String hash = HexFormat.of().formatHex(md5.digest(body));
        return new Revision(parent == null ? 1 : parent.pos() + 1, hash);
    }

    static String digest(byte[] attachment) {
        return "md5-" + Base64.getEncoder().encodeToString(md5().digest(attachment));
    }

    private static MessageDigest md5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has MD5", e);
        }
    }
}
