package io.couchjobs.engine.alarm;

import io.couchjobs.admin.Alarms;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a program for each alarm. */
record AlarmCommand(List<String> command, String database) implements Target {
    private static final int LONGEST_SECONDS = 30;

    AlarmCommand {
        command = List.copyOf(command);
        if (command.isEmpty() || command.get(0).isBlank()) {
            throw new IllegalArgumentException("a command must name a program");
        }
    }

    @Override
    public void tell(Alarms.Alarm alarm) throws IOException, InterruptedException {
        ProcessBuilder program = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        program.environment()
                .putAll(Map.of(
                        "COUCHJOBS_ALARM", alarm.rule(),
                        "COUCHJOBS_SUBJECT", alarm.subject(),
                        "COUCHJOBS_RAISED", String.valueOf(alarm.raised())));
        Process running = program.start();
        try {
            write(running, alarm);
            if (!running.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException(command.get(0) + " did not end within " + LONGEST_SECONDS + " s");
            } else if (running.exitValue() != 0) {
                throw new IOException(command.get(0) + " ended by " + running.exitValue());
            }
        } finally {
            List<ProcessHandle> started = running.descendants().toList();
            running.destroyForcibly(); // first, so that the program starts no further programs
            started.forEach(ProcessHandle::destroyForcibly);
        }
    }

    /** Writes the alarm to the program's standard input, which the program need not read. */
    private void write(Process running, Alarms.Alarm alarm) {
        try (OutputStream input = running.getOutputStream()) {
            input.write(AlarmText.json(alarm, database));
        } catch (IOException notRead) {
            return;
        }
    }
}
