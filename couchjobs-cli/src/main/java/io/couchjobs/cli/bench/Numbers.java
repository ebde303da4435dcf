package io.couchjobs.cli.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.MathContext;

/** Numbers with as many digits as mean something. */
final class Numbers {
    private static final MathContext DIGITS = new MathContext(4);

    private Numbers() {}

    static double rounded(double value) {
        return Double.isFinite(value) ? new BigDecimal(value).round(DIGITS).doubleValue() : 0;
    }

    /** The median, and the range of the rounds: a wide range means that the median says little. */
    static ObjectNode ratio(ObjectNode json, Samples ratios) {
        return json.put("of_limit", rounded(ratios.median()))
                .put("of_limit_min", rounded(ratios.least()))
                .put("of_limit_max", rounded(ratios.greatest()));
    }
}
