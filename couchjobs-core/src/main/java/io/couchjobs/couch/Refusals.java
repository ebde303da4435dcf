package io.couchjobs.couch;

import java.util.Set;
import java.util.regex.Pattern;

/** Tells a refused user from a refused document, by CouchDB's words: the statuses are the same. */
final class Refusals {

    /** Said of who asks, not of the document. */
    private static final Set<String> NOT_ALLOWED_AT_ALL = Set.of(
            "Name or password is incorrect.",
            "Authentication required.",
            "You are not authorized to access this db.",
            "You are not allowed to access this db.",
            "You are not a server admin.",
            "Account is temporarily locked due to multiple authentication failures");

    /** Said of a token: with 401 that it has run out, with 400 that it is none, or signed with a key that the server has not. */
    private static final Pattern TOKEN = Pattern.compile("exp not in future|nbf not in past|Token missing sub claim\\."
            + "|Malformed token|Bad HMAC|Bad signature|Unknown kid|Unknown kty|Not a valid key"
            + "|(Missing|Invalid) \\w+ (claim|header parameter)");

    private Refusals() {}

    static boolean isOfWhoAsks(Failure failure) {
        return NOT_ALLOWED_AT_ALL.contains(failure.reason()) || isOfToken(failure);
    }

    static boolean isOfToken(Failure failure) {
        return (failure.status() == 400 || failure.status() == 401)
                && TOKEN.matcher(failure.reason()).matches();
    }
}
