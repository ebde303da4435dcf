package io.couchjobs.chaos;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** A worker, creator or reader of a chaos run. When its process was killed, it continues in a new process. Not thread-safe. */
final class Member implements AutoCloseable {
    private final Class<?> program;
    private final String name;
    private final Path folder;
    private final List<String> arguments;
    private final Trouble trouble;
    private final List<Proxy> proxies = new ArrayList<>();
    private final Set<String> violations = new LinkedHashSet<>();
    private int lives;
    private Child process;

    /**
     * Starts the member.
     *
     * @param program the main class; its first two arguments are the name of the process and the folder
     * @param name the name of the member; its processes are numbered
     * @param databases the URLs of the database at each node that it uses, with credentials
     * @param folder the folder for journals and logs
     * @param seed the seed of random trouble
     * @param arguments further arguments of the program
     */
    Member(Class<?> program, String name, List<URI> databases, Path folder, long seed, List<String> arguments)
            throws IOException {
        this.program = program;
        this.name = name;
        this.folder = folder;
        this.arguments = List.copyOf(arguments);
        this.trouble = new Trouble(seed);
        for (URI database : databases) {
            proxies.add(new Proxy(database, trouble));
        }
        this.process = start();
    }

    private Child start() throws IOException {
        lives++;
        List<String> all = new ArrayList<>(List.of(processName(), folder.toString()));
        all.addAll(arguments);
        String urls = proxies.stream().map(proxy -> proxy.url().toString()).collect(Collectors.joining(" "));
        return Child.start(program, folder.resolve(name + ".log"), Map.of(Surroundings.URLS, urls), all);
    }

    /** Waits until the process is ready for work or has died. */
    void awaitReady() throws InterruptedException {
        while (process.isAlive() && !Journal.isBegun(processName(), folder)) {
            Surroundings.pass(100);
        }
    }

    private String processName() {
        return name + "-" + lives;
    }

    Child process() {
        return process;
    }

    Trouble trouble() {
        return trouble;
    }

    void resetConnections() {
        trouble.hit(Fault.RESET);
        proxies.forEach(Proxy::resetAll);
    }

    void restartIfDead() throws IOException {
        if (!process.isAlive()) {
            judge();
            process = start();
        }
    }

    /** Waits until the process has ended. If it has not ended in time, writes a thread dump to its log and kills it. */
    void end(long seconds) throws InterruptedException {
        if (!process.awaitEnd(seconds)) {
            violations.add(
                    "processes end: " + processName() + " had not ended after " + seconds + " s; its log says why");
            process.dump();
            process.kill();
        }
        judge();
    }

    private void judge() {
        if (process.isBroken()) {
            violations.add("processes live: " + processName() + " died by itself; its log says why");
        }
    }

    /** {@return the processes that died unexpectedly or did not end in time} */
    List<String> violations() {
        return List.copyOf(violations);
    }

    /** Ends all faults. */
    void heal() throws IOException {
        trouble.endAll();
        process.thaw();
        restartIfDead();
    }

    @Override
    public void close() throws IOException {
        process.kill();
        for (Proxy proxy : proxies) {
            proxy.close();
        }
    }
}
