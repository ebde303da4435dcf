package io.couchjobs.engine.couch;

import io.couchjobs.couch.config.ClientCertificate;
import io.couchjobs.couch.config.CouchConfig;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.apache.hc.client5.http.ssl.ClientTlsStrategyBuilder;
import org.apache.hc.client5.http.ssl.HostnameVerificationPolicy;
import org.apache.hc.client5.http.ssl.NoopHostnameVerifier;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;
import org.apache.hc.core5.ssl.SSLContextBuilder;

/** The TLS settings of a client: the trusted certificates, and the client's own certificate. */
final class Trust {

    private Trust() {}

    /** Returns a strategy that reads the files of the configuration now, and again when they change. */
    static TlsSocketStrategy of(CouchConfig config) {
        List<Path> files = new ArrayList<>();
        config.clientCertificate().ifPresent(shown -> {
            files.add(shown.certificate());
            shown.key().ifPresent(files::add);
        });
        config.caCertificate().filter(authority -> !config.insecure()).ifPresent(files::add);
        return files.isEmpty() ? read(config) : new FreshTls(files, () -> read(config));
    }

    private static TlsSocketStrategy read(CouchConfig config) {
        SSLContextBuilder own = SSLContextBuilder.create();
        config.clientCertificate().ifPresent(certificate -> show(certificate, own));
        try {
            ClientTlsStrategyBuilder builder = ClientTlsStrategyBuilder.create().setSslContext(context(config, own));
            if (config.insecure()) {
                builder.setHostVerificationPolicy(
                        HostnameVerificationPolicy.CLIENT); // otherwise the JVM also checks it
                builder.setHostnameVerifier(NoopHostnameVerifier.INSTANCE);
            }
            return builder.buildClassic();
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException("the CA certificate cannot be used: " + e.getMessage(), e);
        }
    }

    private static void show(ClientCertificate certificate, SSLContextBuilder builder) {
        char[] inMemory = UUID.randomUUID().toString().toCharArray();
        try {
            builder.loadKeyMaterial(KeyFile.read(certificate, inMemory), inMemory);
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException("the client certificate cannot be used: " + e.getMessage(), e);
        }
    }

    private static SSLContext context(CouchConfig config, SSLContextBuilder builder)
            throws GeneralSecurityException, IOException {
        if (config.insecure()) {
            return builder.loadTrustMaterial(null, (chain, type) -> true).build();
        }
        Optional<Path> pem = config.caCertificate();
        if (pem.isPresent()) {
            builder.loadTrustMaterial(store(pem.get(), config.caCertificateOnly()), null);
        } else if (config.clientCertificate().isEmpty()) {
            return SSLContext.getDefault();
        }
        return builder.build();
    }

    private static KeyStore store(Path pem, boolean only) throws GeneralSecurityException, IOException {
        List<Certificate> certificates = new ArrayList<>(read(pem));
        if (!only) {
            certificates.addAll(trustedByTheJvm());
        }
        KeyStore store = emptyStore();
        for (Certificate certificate : certificates) {
            store.setCertificateEntry("ca-" + store.size(), certificate);
        }
        return store;
    }

    private static List<Certificate> read(Path pem) throws GeneralSecurityException, IOException {
        try (InputStream in = Files.newInputStream(pem)) {
            List<Certificate> certificates =
                    List.copyOf(CertificateFactory.getInstance("X.509").generateCertificates(in));
            if (certificates.isEmpty()) {
                throw new IOException("no certificate in " + pem);
            }
            return certificates;
        }
    }

    private static List<X509Certificate> trustedByTheJvm() throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init((KeyStore) null); // the JVM's own
        return Arrays.stream(factory.getTrustManagers())
                .filter(X509TrustManager.class::isInstance)
                .map(X509TrustManager.class::cast)
                .flatMap(manager -> Arrays.stream(manager.getAcceptedIssuers()))
                .toList();
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        return store;
    }
}
