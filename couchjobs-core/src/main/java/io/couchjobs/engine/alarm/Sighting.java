package io.couchjobs.engine.alarm;

/**
 * The finding of a look that a rule is broken.
 *
 * @param subject the job type; empty for the whole queue
 */
record Sighting(String rule, String subject, String finding) {
    /** Returns the key of the alarm: the rule and the subject. */
    String key() {
        return (rule + " " + subject).strip();
    }
}
