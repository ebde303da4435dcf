package io.couchjobs.cli;

/** What the libraries may say on standard error. */
final class Logging {
    private static final String PREFIX = "org.slf4j.simpleLogger.";

    private Logging() {}

    /** Must come before the first logger. Only couchjobs itself gets chatty: an HTTP client's log would show passwords. */
    static void configure(boolean verbose, boolean quiet) {
        System.setProperty(PREFIX + "defaultLogLevel", "error");
        System.setProperty(PREFIX + "log.io.couchjobs", verbose ? "debug" : quiet ? "error" : "warn");
        System.setProperty(PREFIX + "log.couchjobs.job", quiet ? "off" : "info");
        System.setProperty(PREFIX + "showThreadName", "false");
        System.setProperty(PREFIX + "showLogName", "false");
        System.setProperty(PREFIX + "showShortLogName", Boolean.toString(verbose));
        System.setProperty(PREFIX + "showDateTime", Boolean.toString(verbose));
        System.setProperty(PREFIX + "dateTimeFormat", "HH:mm:ss.SSS");
        System.setProperty(PREFIX + "levelInBrackets", "true");
    }
}
