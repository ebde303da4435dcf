package io.couchjobs.engine.alarm;

/**
 * A look found that a rule is broken.
 *
 * @param rule the rule
 * @param subject the type; empty for the whole queue
 * @param finding what was found
 */
record Sighting(String rule, String subject, String finding) {
    /** Names the alarm: a rule and a type. */
    String key() {
        return (rule + " " + subject).strip();
    }
}
