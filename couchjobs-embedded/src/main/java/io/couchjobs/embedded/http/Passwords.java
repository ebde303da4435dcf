package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.store.Edit;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** Hashes and checks the passwords in user documents. They are stored as PBKDF2 keys, in the same fields as in CouchDB. */
final class Passwords {
    private static final int ITERATIONS = 1000;
    private static final int SALT_BYTES = 16;
    private static final int KEY_BITS = 256;
    private static final SecureRandom RANDOM = new SecureRandom();

    private Passwords() {}

    /** {@return the edit with its clear-text password, if any, replaced by a key} */
    static Edit hidden(Edit edit) {
        if (!edit.body().path("password").isTextual()) {
            return edit;
        }
        byte[] salt = new byte[SALT_BYTES];
        RANDOM.nextBytes(salt);
        String saltText = HexFormat.of().formatHex(salt);
        ObjectNode body = edit.body().deepCopy();
        String password = body.remove("password").textValue();
        body.put("password_scheme", "pbkdf2")
                .put("pbkdf2_prf", "sha256")
                .put("salt", saltText)
                .put("iterations", ITERATIONS)
                .put("derived_key", derive(password, saltText, ITERATIONS));
        return new Edit(edit.id(), edit.history(), edit.deleted(), body);
    }

    static boolean matches(ObjectNode user, String password) {
        String salt = user.path("salt").asText();
        int iterations = user.path("iterations").asInt();
        if (salt.isEmpty() || iterations < 1 || password.isEmpty()) {
            return false;
        }
        byte[] known = user.path("derived_key").asText().getBytes(StandardCharsets.UTF_8);
        return MessageDigest.isEqual(known, derive(password, salt, iterations).getBytes(StandardCharsets.UTF_8));
    }

    private static String derive(String password, String salt, int iterations) {
        PBEKeySpec spec =
                new PBEKeySpec(password.toCharArray(), salt.getBytes(StandardCharsets.UTF_8), iterations, KEY_BITS);
        try {
            SecretKeyFactory factory = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256");
            return HexFormat.of().formatHex(factory.generateSecret(spec).getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has PBKDF2WithHmacSHA256", e);
        }
    }
}
