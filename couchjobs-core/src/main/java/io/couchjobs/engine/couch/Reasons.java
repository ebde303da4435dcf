package io.couchjobs.engine.couch;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.core5.http.ConnectionRequestTimeoutException;
import org.apache.hc.core5.http.NoHttpResponseException;

/** Describes the cause of a failed connection for an operator. Stateless. */
final class Reasons {

    private Reasons() {}

    /** @param server the server's URL without credentials */
    static String of(IOException cause, URI server) {
        return cause instanceof SSLException
                ? "no safe connection to " + server + badDate(cause).orElseGet(() -> detail(cause))
                : what(cause) + detail(cause);
    }

    private static String what(IOException cause) {
        if (cause instanceof ProxyRefusal) {
            return "the proxy let nothing through";
        } else if (cause instanceof UnknownHostException) {
            return "unknown host";
        } else if (cause instanceof ConnectionRequestTimeoutException) {
            return "all connections of this client are busy";
        } else if (cause instanceof ConnectTimeoutException) {
            return "no connection in time";
        } else if (cause instanceof ConnectException) {
            return "no connection";
        } else if (cause instanceof SocketTimeoutException) {
            return "the server was silent for too long";
        } else if (cause instanceof NoHttpResponseException) {
            return "the server closed the connection without an answer";
        }
        return "the connection broke";
    }

    /** Describes an expired or not yet valid certificate; the JDK itself says only "validity check failed". */
    private static Optional<String> badDate(Throwable cause) {
        Throwable each = cause;
        while (each != null && !(each instanceof CertPathValidatorException)) {
            each = each.getCause();
        }
        return each instanceof CertPathValidatorException refused && refused.getIndex() >= 0
                ? badDate(refused, refused.getCertPath().getCertificates().get(refused.getIndex()))
                : Optional.empty();
    }

    private static Optional<String> badDate(CertPathValidatorException refused, Certificate certificate) {
        if (!(certificate instanceof X509Certificate dated)) {
            return Optional.empty();
        }
        String whose =
                refused.getIndex() == 0 ? " (the server's certificate " : " (a certificate of the server's authority ";
        if (refused.getReason() == BasicReason.EXPIRED) {
            return Optional.of(whose + "expired at " + dated.getNotAfter().toInstant() + ")");
        }
        return refused.getReason() == BasicReason.NOT_YET_VALID
                ? Optional.of(
                        whose + "is not valid before " + dated.getNotBefore().toInstant() + ")")
                : Optional.empty();
    }

    private static String detail(IOException cause) {
        return cause.getMessage() == null ? "" : " (" + cause.getMessage() + ")";
    }
}
