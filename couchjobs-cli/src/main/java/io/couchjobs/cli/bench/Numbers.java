package io.couchjobs.cli.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.MathContext;

/** Rounds numbers to the digits that are meaningful. */
final class Numbers {
    private static final MathContext DIGITS = new MathContext(4);

    private Numbers() {}

    static double rounded(double value) {
        return Double.isFinite(value) ? new BigDecimal(value).round(DIGITS).doubleValue() : 0;
    }

    /** Adds the median and the range of the rounds. A wide range means that the median says little. */
    static ObjectNode ratio(ObjectNode json, Samples ratios) {
        return json.put("of_limit", rounded(ratios.median()))
                .put("of_limit_min", rounded(ratios.least()))
                .put("of_limit_max", rounded(ratios.greatest()));
    }
}
