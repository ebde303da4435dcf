package io.couchjobs.couch.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A certificate that authenticates this client to the server (mutual TLS), and its private key. The client reads the files
 * when it is created, and again before a new connection if they have changed. If the changed files are unusable, the previous
 * certificate stays in use. Immutable; {@link #toString} shows no password.
 *
 * @param certificate a PEM file with the certificate, followed by the certificates of its issuers, or a PKCS #12 file ({@code
 *     .p12}, {@code .pfx}), which also contains the key. The content of the file determines the format
 * @param key a PEM file with the private key in PKCS #8 ({@code BEGIN PRIVATE KEY}, {@code BEGIN ENCRYPTED PRIVATE KEY}):
 *     RSA, EC or EdDSA. Empty if the key is in the certificate's file
 * @param password the password of an encrypted key or a PKCS #12 file
 */
public record ClientCertificate(Path certificate, Optional<Path> key, Optional<Secret> password) {
    private static final Pattern KEY = Pattern.compile("-----BEGIN ([A-Z ]*)PRIVATE KEY-----");

    /**
     * {@return a certificate and its key from two files}
     *
     * @param certificate a PEM file
     * @param key a PEM file
     */
    public static ClientCertificate of(Path certificate, Path key) {
        return new ClientCertificate(certificate, Optional.of(key), Optional.empty());
    }

    /**
     * {@return a certificate and its key from one file}
     *
     * @param both a PEM or PKCS #12 file with the certificate and the key
     */
    public static ClientCertificate of(Path both) {
        return new ClientCertificate(both, Optional.empty(), Optional.empty());
    }

    /**
     * {@return this certificate, with the password of its key}
     *
     * @param keyPassword the password of the key
     */
    public ClientCertificate password(Secret keyPassword) {
        return new ClientCertificate(certificate, key, Optional.of(keyPassword));
    }

    /** {@return whether the key is encrypted, so that it needs a password; false when the file cannot be read} */
    public boolean isEncrypted() {
        try {
            String text = Files.readString(key.orElse(certificate), StandardCharsets.ISO_8859_1);
            Matcher header = KEY.matcher(text);
            return !text.contains("-----BEGIN ")
                    || (header.find() && header.group(1).startsWith("ENCRYPTED"));
        } catch (IOException e) {
            return false;
        }
    }
}
