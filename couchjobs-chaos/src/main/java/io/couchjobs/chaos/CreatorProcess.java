package io.couchjobs.chaos;

import io.couchjobs.JobQueue;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Random;

/**
 * A process that creates jobs until its standard input ends. Arguments: the name; the folder for the journal; a seed; the average
 * milliseconds between two actions; the number of short jobs in a bulk, in addition to those of all kinds; the number of items in
 * an array; the number of source databases; and the number of document changes per action.
 */
final class CreatorProcess {
    private static volatile boolean isOver;

    private CreatorProcess() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Random random = new Random(Long.parseLong(arguments[2]));
        int pause = Integer.parseInt(arguments[3]);
        int crowd = Integer.parseInt(arguments[4]);
        int items = Integer.parseInt(arguments[5]);
        int sources = Integer.parseInt(arguments[6]);
        int changes = Integer.parseInt(arguments[7]);
        listenForTheEnd();
        try (JobQueue queue = Surroundings.open(Instant::now);
                Journal journal = Journal.of(arguments[0], Path.of(arguments[1]));
                Editor editor = new Editor(queue, random, sources, changes)) {
            Standstill.watch(journal);
            Creator creator = new Creator(queue, journal, random, arguments[0], crowd, items);
            Saver saver = new Saver(queue, journal, random, arguments[0], sources);
            do { // at least once, because a run without jobs proves nothing
                creator.act();
                if (sources > 0) {
                    saver.save();
                }
                if (sources > 0 && changes > 0) {
                    editor.edit();
                }
                Surroundings.pass(random.nextInt(2 * pause) + 1);
            } while (!isOver);
        }
    }

    private static void listenForTheEnd() {
        Thread listener = new Thread(
                () -> {
                    try {
                        while (System.in.read() >= 0) {
                            // ignore input
                        }
                    } catch (IOException closed) {
                        System.err.println("standard input is gone: " + closed);
                    }
                    isOver = true;
                },
                "orders");
        listener.setDaemon(true);
        listener.start();
    }
}
