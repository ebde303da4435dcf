package io.couchjobs.cli.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.cli.child.Jvm;
import java.io.IOException;
import java.util.List;

/** Measures how long {@code couchjobs --version} takes, and how much longer than the start of the bare JVM. */
record Startup(Place place, int times) {
    ObjectNode measure() throws IOException, InterruptedException {
        Samples whole = new Samples();
        Samples over = new Samples();
        for (int i = 0; i < times; i++) {
            double bare = millis(new ProcessBuilder(Jvm.java(), "-version"));
            double full = millis(program());
            whole.add(full);
            over.add(full - bare);
        }
        return JsonNodeFactory.instance
                .objectNode()
                .put("ms", Numbers.rounded(whole.median()))
                .put("over_jvm_ms", Numbers.rounded(over.median()));
    }

    private ProcessBuilder program() {
        return place.launcher()
                .map(launcher -> new ProcessBuilder(launcher.toString(), "--version"))
                .orElseGet(() -> Jvm.again(List.of("-XX:TieredStopAtLevel=1"), List.of("--version")));
    }

    private static double millis(ProcessBuilder builder) throws IOException, InterruptedException {
        builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        long started = System.nanoTime();
        int exitCode = builder.start().waitFor();
        double millis = Time.millis(System.nanoTime() - started);
        if (exitCode != 0) {
            throw new IOException(builder.command().get(0) + " ended by exit code " + exitCode);
        }
        return millis;
    }
}
