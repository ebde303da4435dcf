package io.couchjobs.couch;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import javax.net.ssl.SSLException;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.core5.http.ConnectionRequestTimeoutException;
import org.apache.hc.core5.http.NoHttpResponseException;

/** What a failed connection means, in words for whoever runs the program. */
final class Reasons {

    private Reasons() {}

    static String of(IOException cause) {
        return what(cause) + detail(cause);
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
        return cause instanceof SSLException ? "no safe connection" : "the connection broke";
    }

    private static String detail(IOException cause) {
        return cause.getMessage() == null ? "" : " (" + cause.getMessage() + ")";
    }
}
