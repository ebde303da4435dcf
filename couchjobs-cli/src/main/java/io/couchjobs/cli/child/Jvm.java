package io.couchjobs.cli.child;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Prepares further processes of this program, with the same JVM and the same classes. */
public final class Jvm {
    /** The options that the launcher gives to {@code couchjobs work}. */
    public static final List<String> WORKER_OPTIONS =
            List.of("-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=0.1");

    private Jvm() {}

    /**
     * Prepares another process of this program, with the same options of the JVM.
     *
     * @param options further options of the JVM, which override those of this process
     * @param arguments the arguments of the command line
     * @return the process, not started; it shares standard error with this process
     */
    public static ProcessBuilder again(List<String> options, List<String> arguments) {
        return again(List.of(), options, arguments);
    }

    /**
     * Prepares a worker process with the options that {@code couchjobs work} has, unless this process was given others.
     *
     * @param options further options of the JVM, which override those of this process
     * @param arguments the arguments of the command line
     * @return the process, not started; it shares standard error with this process
     */
    public static ProcessBuilder worker(List<String> options, List<String> arguments) {
        return again(WORKER_OPTIONS, options, arguments);
    }

    private static ProcessBuilder again(List<String> defaults, List<String> options, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(java());
        command.addAll(defaults);
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> !option.startsWith("-agentlib") && !option.startsWith("-javaagent"))
                .forEach(command::add);
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.couchjobs.cli.Main"));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        return builder.directory(new File("").getAbsoluteFile());
    }

    /** {@return the path of the {@code java} program of this JVM} */
    public static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }
}
