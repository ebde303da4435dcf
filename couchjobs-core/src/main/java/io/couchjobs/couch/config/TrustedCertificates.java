package io.couchjobs.couch.config;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The servers' certificates that a client trusts.
 *
 * @param file a PEM file with some
 * @param onlyFile whether the JVM's certificates are not trusted besides those of the file
 * @param unchecked whether all are trusted, whatever host they are for
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
