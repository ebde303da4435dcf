package io.couchjobs.couch.config;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The certificates that a client trusts. Immutable.
 *
 * @param file a PEM file with certificates to trust
 * @param onlyFile whether only the file's certificates are trusted, and not those of the JVM
 * @param unchecked whether all certificates are trusted, for any host
 */
record TrustedCertificates(Optional<Path> file, boolean onlyFile, boolean unchecked) {
    static final TrustedCertificates OF_THE_JVM = new TrustedCertificates(Optional.empty(), false, false);

    TrustedCertificates and(Path pem) {
        return new TrustedCertificates(Optional.of(pem), false, unchecked);
    }

    TrustedCertificates only(Path pem) {
        return new TrustedCertificates(Optional.of(pem), true, unchecked);
    }

    TrustedCertificates unchecked(boolean all) {
        return new TrustedCertificates(file, onlyFile, all);
    }

    void check(Problems problems) {
        problems.require(!unchecked || file.isEmpty(), "insecure and a CA certificate exclude each other");
        file.ifPresent(pem -> problems.require(Files.isReadable(pem), "the CA certificate cannot be read: " + pem));
    }
}
