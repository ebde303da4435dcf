package io.couchjobs.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** A certificate that nobody trusts yet, and its key, made by the JDK's keytool. */
public record Certificates(Path keyStore, Path pem) {

    public static final String PASSWORD = "changeit";

    /** For the host name {@code localhost} and nothing else. */
    public static Certificates make(Path dir) throws IOException, InterruptedException {
        return make(dir, "server", "localhost", "-ext", "san=dns:localhost");
    }

    /** For {@code localhost}, by an authority whose certificate is in {@link #pem}, and good until yesterday. */
    public static Certificates expired(Path dir) throws IOException, InterruptedException {
        Certificates authority = make(dir, "authority", "authority", "-ext", "bc:critical=ca:true");
        List<String> generate = new ArrayList<>(List.of(
                "-genkeypair", "-alias", "expired", "-keyalg", "EC", "-dname", "CN=localhost", "-signer", "authority"));
        generate.addAll(List.of("-startdate", "-3d", "-validity", "2", "-ext", "san=dns:localhost"));
        keytool(authority.keyStore(), generate);
        keytool(authority.keyStore(), List.of("-delete", "-alias", "authority")); // or its own would be shown as well
        return authority;
    }

    /** For a client of that name. */
    public static Certificates ofClient(Path dir, String name) throws IOException, InterruptedException {
        return make(dir, name, name);
    }

    private static Certificates make(Path dir, String file, String name, String... more)
            throws IOException, InterruptedException {
        Path store = dir.resolve(file + ".p12");
        Path pem = dir.resolve(file + ".pem");
        List<String> generate = new ArrayList<>(
                List.of("-genkeypair", "-alias", file, "-keyalg", "EC", "-dname", "CN=" + name, "-validity", "2"));
        generate.addAll(List.of(more));
        keytool(store, generate);
        keytool(store, List.of("-exportcert", "-rfc", "-alias", file, "-file", pem.toString()));
        return new Certificates(store, pem);
    }

    /** The certificate that a server with this key store shows. */
    public Path pemOfServer(Path file) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(keyStore.toFile(), PASSWORD.toCharArray());
        return write(
                file,
                "CERTIFICATE",
                store.getCertificate(store.aliases().nextElement()).getEncoded());
    }

    /** The private key in a file of its own; encrypted when there is a password. */
    public Path pemKey(Path file, String password) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(keyStore.toFile(), PASSWORD.toCharArray());
        byte[] key = store.getKey(store.aliases().nextElement(), PASSWORD.toCharArray())
                .getEncoded();
        return password == null
                ? write(file, "PRIVATE KEY", key)
                : write(file, "ENCRYPTED PRIVATE KEY", encrypted(key, password));
    }

    private static byte[] encrypted(byte[] key, String password) throws IOException, GeneralSecurityException {
        String algorithm = "PBEWithHmacSHA256AndAES_256";
        SecretKey secret =
                SecretKeyFactory.getInstance(algorithm).generateSecret(new PBEKeySpec(password.toCharArray()));
        Cipher cipher = Cipher.getInstance(algorithm);
        cipher.init(Cipher.ENCRYPT_MODE, secret);
        // Java 17 cannot write this by itself: SEQUENCE { SEQUENCE { PBES2, parameters }, OCTET STRING }
        byte[] how = der(
                0x30,
                HexFormat.of().parseHex("06092a864886f70d01050d"),
                cipher.getParameters().getEncoded());
        return der(0x30, how, der(0x04, cipher.doFinal(key)));
    }

    private static byte[] der(int tag, byte[]... parts) throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.write(part);
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(tag);
        all.write(0x82); // the length in two bytes
        all.write(content.size() >> 8);
        all.write(content.size());
        content.writeTo(all);
        return all.toByteArray();
    }

    private static Path write(Path file, String what, byte[] der) throws IOException {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return Files.writeString(file, "-----BEGIN " + what + "-----\n" + base64 + "\n-----END " + what + "-----\n");
    }

    private static void keytool(Path store, List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(arguments);
        command.addAll(List.of("-storetype", "PKCS12", "-keystore", store.toString(), "-storepass", PASSWORD));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new IllegalStateException("keytool failed: " + output);
        }
    }
}
