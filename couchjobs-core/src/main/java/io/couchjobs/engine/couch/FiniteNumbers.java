package io.couchjobs.engine.couch;

import com.fasterxml.jackson.core.JsonGenerationException;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.JsonGeneratorDelegate;
import java.io.IOException;

/**
 * Refuses NaN and infinite numbers, which JSON does not have. Jackson would write them as strings, and so silently change the
 * document.
 */
final class FiniteNumbers extends JsonGeneratorDelegate {

    FiniteNumbers(JsonGenerator out) {
        super(out, false);
    }

    @Override
    public void writeNumber(double number) throws IOException {
        check(Double.isFinite(number), number);
        super.writeNumber(number);
    }

    @Override
    public void writeNumber(float number) throws IOException {
        check(Float.isFinite(number), number);
        super.writeNumber(number);
    }

    private void check(boolean finite, double number) throws IOException {
        if (!finite) {
            throw new JsonGenerationException(number + " is no JSON number", this);
        }
    }
}
