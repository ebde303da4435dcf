package io.couchjobs.couch;

import java.util.Set;
import java.util.regex.Pattern;

/** Checks database names by CouchDB's rule. */
final class DatabaseName {

    private static final Pattern RULE = Pattern.compile("[a-z][a-z0-9_$()+/-]*");
    private static final Set<String> OF_THE_SYSTEM = Set.of("_users", "_replicator", "_global_changes");
    private static final int LONGEST = 238;

    private DatabaseName() {}

    static String checked(String name) {
        if (OF_THE_SYSTEM.contains(name) || (RULE.matcher(name).matches() && name.length() <= LONGEST)) {
            return name;
        }
        throw new IllegalArgumentException("\"" + name + "\" is no name for a database: it must start with a-z, go on"
                + " with a-z 0-9 _ $ ( ) + - / and be at most " + LONGEST + " characters long");
    }
}
