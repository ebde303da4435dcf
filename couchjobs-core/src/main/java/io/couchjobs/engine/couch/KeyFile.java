package io.couchjobs.engine.couch;

import io.couchjobs.couch.config.ClientCertificate;
import io.couchjobs.couch.config.Secret;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.KeySpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** Reads a client's certificate and private key. Messages of this class never contain the content of the files. */
final class KeyFile {

    private static final Pattern KEY =
            Pattern.compile("-----BEGIN ([A-Z ]*)PRIVATE KEY-----(.*?)-----END", Pattern.DOTALL);
    private static final Pattern CERTIFICATE =
            Pattern.compile("-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", Pattern.DOTALL);
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA");
    private static final Map<String, String> SIGNED_BY = Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA");
    private static final byte[] SIGNED = {1};
    private static final char[] UNENCRYPTED = {};
    private static final String CONVERT = "convert it by openssl pkcs8 -topk8 -in OLD -out NEW";

    private KeyFile() {}

    /**
     * {@return a key store with only the client's key and certificate}
     *
     * @param inMemory the password of the key in the store, which exists in memory only
     * @throws GeneralSecurityException if the key cannot be used
     * @throws IOException if a file cannot be read, or does not contain a certificate or key
     */
    static KeyStore read(ClientCertificate from, char[] inMemory) throws GeneralSecurityException, IOException {
        String text = text(from.certificate());
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        if (isPem(text)) {
            Certificate[] chain = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(certificatesIn(text)))
                    .toArray(Certificate[]::new);
            Path keyFile = from.key().orElse(from.certificate());
            check(chain.length > 0, "no certificate in " + from.certificate());
            PrivateKey key = key(keyFile, from.password());
            check(
                    belongs(key, chain[0]),
                    "the key in " + keyFile + " is not that of the certificate in " + from.certificate());
            store.setKeyEntry("client", key, inMemory, chain);
        } else {
            check(
                    from.key().isEmpty(),
                    from.certificate() + " is no PEM file, as it must be when the key is in another");
            copy(from, store, inMemory);
        }
        return store;
    }

    /** Returns whether the key belongs to the certificate. If there are two files, one may be replaced before the other. */
    private static boolean belongs(PrivateKey key, Certificate certificate) throws GeneralSecurityException {
        String algorithm = key.getAlgorithm();
        if (!algorithm.equals(certificate.getPublicKey().getAlgorithm())) {
            return false;
        }
        Signature signature = Signature.getInstance(SIGNED_BY.getOrDefault(algorithm, algorithm));
        signature.initSign(key);
        signature.update(SIGNED);
        byte[] signed = signature.sign();
        signature.initVerify(certificate.getPublicKey());
        signature.update(SIGNED);
        return signature.verify(signed);
    }

    private static void copy(ClientCertificate from, KeyStore to, char[] inMemory)
            throws GeneralSecurityException, IOException {
        char[] password =
                from.password().map(secret -> secret.reveal().toCharArray()).orElse(UNENCRYPTED);
        KeyStore given = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(from.certificate())) {
            given.load(in, password);
        }
        for (String alias : Collections.list(given.aliases())) {
            Key key = given.getKey(alias, password);
            if (key instanceof PrivateKey) {
                to.setKeyEntry("client", key, inMemory, given.getCertificateChain(alias));
                return;
            }
        }
        throw new InvalidKeyException("no private key in " + from.certificate());
    }

    private static PrivateKey key(Path file, Optional<Secret> password) throws GeneralSecurityException, IOException {
        Matcher found = keyIn(text(file)).orElseThrow(() -> new InvalidKeyException("no private key in " + file));
        String kind = found.group(1).strip();
        check(kind.isEmpty() || kind.equals("ENCRYPTED"), "the key in " + file + " is not PKCS #8: " + CONVERT);
        byte[] der = decoded(file, found.group(2));
        return privateKey(file, kind.isEmpty() ? new PKCS8EncodedKeySpec(der) : decrypted(file, der, password));
    }

    private static byte[] decoded(Path file, String base64) throws InvalidKeyException {
        try {
            return Base64.getMimeDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new InvalidKeyException("the key in " + file + " is damaged", e);
        }
    }

    private static KeySpec decrypted(Path file, byte[] der, Optional<Secret> password) throws GeneralSecurityException {
        Secret secret = password.orElseThrow(
                () -> new InvalidKeyException("the key in " + file + " is encrypted, and no password was given"));
        EncryptedPrivateKeyInfo encrypted = encrypted(file, der);
        // For PBES2, only the text of the parameters names the ciphers.
        String algorithm = encrypted.getAlgParameters().toString();
        try {
            Key key = SecretKeyFactory.getInstance(algorithm)
                    .generateSecret(new PBEKeySpec(secret.reveal().toCharArray()));
            Cipher cipher = Cipher.getInstance(algorithm);
            cipher.init(Cipher.DECRYPT_MODE, key, encrypted.getAlgParameters());
            return encrypted.getKeySpec(cipher);
        } catch (InvalidKeyException | InvalidKeySpecException e) {
            throw new InvalidKeyException("the key in " + file + " cannot be decrypted with this password", e);
        }
    }

    private static EncryptedPrivateKeyInfo encrypted(Path file, byte[] der) throws InvalidKeyException {
        try {
            EncryptedPrivateKeyInfo encrypted = new EncryptedPrivateKeyInfo(der);
            if (encrypted.getAlgParameters() != null
                    && encrypted.getAlgParameters().toString().startsWith("PBE")) {
                return encrypted;
            }
            throw new IOException("not by PBES2");
        } catch (IOException e) {
            throw new InvalidKeyException(
                    "the key in " + file + " is encrypted as Java cannot read it (" + e.getMessage() + "): " + CONVERT,
                    e);
        }
    }

    private static PrivateKey privateKey(Path file, KeySpec encoded) throws GeneralSecurityException {
        InvalidKeyException none =
                new InvalidKeyException("the key in " + file + " is of none of the kinds " + ALGORITHMS);
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
            } catch (InvalidKeySpecException another) {
                none.addSuppressed(another);
            }
        }
        throw none;
    }

    private static Optional<Matcher> keyIn(String pem) {
        Matcher found = KEY.matcher(pem);
        return found.find() ? Optional.of(found) : Optional.empty();
    }

    /** Returns the certificates of a PEM file without keys and the text that OpenSSL writes between them. */
    private static byte[] certificatesIn(String pem) {
        return CERTIFICATE
                .matcher(pem)
                .results()
                .map(MatchResult::group)
                .collect(Collectors.joining("\n"))
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    private static boolean isPem(String text) {
        return text.contains("-----BEGIN ");
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.ISO_8859_1);
    }

    private static void check(boolean fine, String problem) throws InvalidKeyException {
        if (!fine) {
            throw new InvalidKeyException(problem);
        }
    }
}
