package io.couchjobs.cli.top;

import io.couchjobs.JobQueue;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.job.JobId;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The actions of keys. A failure of couchjobs is not thrown, but becomes the message on the screen. Thread-safe. */
final class Actions {
    private final JobQueue queue;

    Actions(JobQueue queue) {
        this.queue = queue;
    }

    Cursor apply(Key key, Cursor cursor, Snapshot snapshot) {
        if (!cursor.page().isEmpty() && key != Key.NONE) {
            return cursor.saying("");
        }
        return switch (key) {
            case UP -> cursor.moved(-1, snapshot);
            case DOWN -> cursor.moved(1, snapshot);
            case SWITCH -> cursor.switched();
            case PAUSE -> cursor.saying(attempt(() -> pause(cursor, snapshot)));
            case RETRY -> cursor.saying(attempt(() -> retry(cursor, snapshot)));
            case SHOW -> shown(cursor, snapshot);
            case HELP -> cursor.showing(Pages.HELP);
            case FILTER -> filtered(cursor, snapshot);
            case OTHER -> cursor.saying("");
            case QUIT, NONE -> cursor;
        };
    }

    private static Cursor shown(Cursor cursor, Snapshot snapshot) {
        if (cursor.pane() != Cursor.Pane.FAILURES) {
            return cursor.saying("to see a job, choose one (tab)");
        }
        return cursor.chosen(snapshot)
                .map(row -> cursor.showing(Pages.of(snapshot.failures().get(row))))
                .orElseGet(() -> cursor.saying("nothing has failed"));
    }

    private static Cursor filtered(Cursor cursor, Snapshot snapshot) {
        if (cursor.only().isPresent()) {
            return cursor.about(Optional.empty());
        }
        List<String> types = List.copyOf(snapshot.types().keySet());
        return cursor.about(cursor.chosen(snapshot)
                .map(row -> cursor.pane() == Cursor.Pane.TYPES
                        ? types.get(row)
                        : snapshot.failures().get(row).type()));
    }

    private String pause(Cursor cursor, Snapshot snapshot) {
        if (cursor.pane() != Cursor.Pane.TYPES) {
            return "to pause a type, choose one (tab)";
        }
        List<String> types = List.copyOf(snapshot.types().keySet());
        return cursor.chosen(snapshot)
                .map(types::get)
                .map(type -> queue.types()
                                .change(type, settings -> settings.withPaused(!settings.isPaused()))
                                .isPaused()
                        ? type + " is paused: nobody claims it"
                        : type + " is open again")
                .orElse("there is no type");
    }

    private String retry(Cursor cursor, Snapshot snapshot) {
        if (cursor.pane() != Cursor.Pane.FAILURES) {
            return "to retry a job, choose one (tab)";
        }
        return cursor.chosen(snapshot)
                .map(row -> snapshot.failures().get(row).id())
                .map(this::retried)
                .orElse("nothing has failed");
    }

    private String retried(JobId id) {
        queue.retryNow(id.type(), id.id());
        return id + " runs again as soon as a worker is free";
    }

    private static String attempt(Supplier<String> action) {
        try {
            return action.get();
        } catch (CouchJobsException refused) {
            return String.valueOf(refused.getMessage());
        }
    }
}
