package io.couchjobs.engine.alarm;

/**
 * A look found that a rule is broken.
 *
 * @param subject the type; empty for the whole queue
 */
record Sighting(String rule, String subject, String finding) {
    /** Names the alarm: a rule and a type. */
    String key() {
        return (rule + " " + subject).strip();
    }
}
