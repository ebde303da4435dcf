package io.couchjobs.couch.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A certificate by which this client shows the server who it is (mutual TLS), and its private key. The files are read when
 * a client is made, and again before a new connection when they have changed; while they cannot be used, the
 * certificate read before stays in use. Immutable; {@link #toString} shows no password.
 *
 * @param certificate a PEM file with the certificate, followed by those of its issuers, or a PKCS #12 file ({@code .p12},
 *     {@code .pfx}) with the key as well; told apart by their content
 * @param key a PEM file with the private key in PKCS #8 ({@code BEGIN PRIVATE KEY}, {@code BEGIN ENCRYPTED PRIVATE KEY}): RSA, EC
 *     or EdDSA; empty: it is in the same file
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
     * @param both a PEM or PKCS #12 file
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

    /**
     * {@return whether the key is encrypted, so that it cannot be read without a password; false when there is no such file}
     */
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
