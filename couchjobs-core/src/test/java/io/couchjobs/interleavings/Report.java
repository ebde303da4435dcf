package io.couchjobs.interleavings;

/** How a scenario was explored. */
record Report(String scenario, int orders, int samples, long seed, long millis) {
    @Override
    public String toString() {
        return samples == 0
                ? "%s: all %d orders, %d ms".formatted(scenario, orders, millis)
                : "%s: more orders than the limit; the first %d and %d at random (seed %d), %d ms"
                        .formatted(scenario, orders, samples, seed, millis);
    }
}
