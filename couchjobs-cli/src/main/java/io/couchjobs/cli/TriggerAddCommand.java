package io.couchjobs.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.cli.input.InputJson;
import io.couchjobs.cli.input.JobReader;
import io.couchjobs.couch.config.CouchNotFoundException;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.trigger.Outbox;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.trigger.TriggerBuilder;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code trigger add NAME}: creates or replaces a trigger. */
@Command(
        name = "add",
        description = {
            "Make a job of each document that changes in a database, or in all that fit a pattern such as 'shop-*'.",
            "Without --data the job's data has db, id, rev and deleted. Texts of --data, --id and --group are templates:",
            "{_id}, {_rev}, {db}, {seq}, {deleted}, {doc}, {/customer/mail} (a field of the document), {/note?} (or null).",
            "A trigger of that name is replaced; it goes on from where it is."
        },
        footer = {
            "  couchjobs trigger add order-mail --source orders --type email --selector '{\"status\":\"paid\"}'",
            "  couchjobs trigger add search --source 'userdb-*' --type index --include-doc --from beginning",
            "  couchjobs trigger add box --source orders --outbox leave"
        })
final class TriggerAddCommand extends TriggerNameCommand implements CreatesStore {
    @Option(
            names = "--source",
            paramLabel = "DATABASE|PATTERN",
            required = true,
            description = "The database to follow, or a pattern of databases.")
    private String source = "";

    @Option(names = "--type", paramLabel = "T", description = "The type of the jobs.")
    private @Nullable String type;

    @Option(
            names = "--outbox",
            paramLabel = "leave|mark|remove",
            description =
                    "In place of --type: make the jobs that the field couchjobs of each document lists. The value says what"
                            + " happens to an entry after its job was made.")
    private Outbox.@Nullable Entries outbox;

    @Option(names = "--selector", paramLabel = "JSON", description = "Which documents, as a Mango selector.")
    private @Nullable String selector;

    @Option(names = "--prefix", paramLabel = "P", description = "The beginning of the documents' ids; may be repeated.")
    private List<String> prefixes = List.of();

    @Option(
            names = "--deletions",
            paramLabel = "include|exclude|only",
            description = "Whether deleted documents make jobs; default include.")
    private Trigger.@Nullable Deletions deletions;

    @Option(names = "--design-docs", description = "Take design documents, too.")
    private boolean designDocs;

    @Option(
            names = "--deliver",
            paramLabel = "latest|every",
            description = "A job per document, run again when it changes (default), or per revision.")
    private Trigger.@Nullable Delivery deliver;

    @Option(names = "--from", paramLabel = "now|beginning|SEQ", description = "Where it starts; default now.")
    private @Nullable String from;

    @Option(names = "--id", paramLabel = "TEMPLATE", description = "The id of a job.")
    private @Nullable String id;

    @Option(names = "--data", paramLabel = "TEMPLATE", description = "The data of a job, a JSON object.")
    private @Nullable String data;

    @Option(names = "--include-doc", description = "Add the document to the default data, as doc.")
    private boolean includeDoc;

    @Option(names = "--group", paramLabel = "TEMPLATE", description = "The group of a job.")
    private @Nullable String group;

    @Option(names = "--priority", paramLabel = "N", description = "0 (least) to 99; default 50.")
    private @Nullable Integer priority;

    @Option(names = "--max-retries", paramLabel = "N", description = "Retries after the first run.")
    private @Nullable Integer maxRetries;

    @Option(names = "--delay", paramLabel = "D", description = "How long a job waits after its change.")
    private @Nullable Duration delay;

    @Option(
            names = "--debounce",
            paramLabel = "D",
            description = "Make the job when the document has not changed for this long.")
    private @Nullable Duration debounce;

    @Option(names = "--batch", paramLabel = "N", description = "Make one job of up to so many changes.")
    private @Nullable Integer batch;

    @Option(
            names = "--batch-wait",
            paramLabel = "D",
            description = "How long the first change of a batch waits for further changes; default 1s.")
    private @Nullable Duration batchWait;

    @Option(names = "--cron", paramLabel = "EXPR", description = "Catch up at these times only.")
    private @Nullable String cron;

    @Option(names = "--zone", paramLabel = "Z", description = "The time zone of --cron; default UTC.")
    private @Nullable String zone;

    @Option(
            names = "--connection",
            paramLabel = "C",
            description = {
                "The server of the source, by name; default: the queue's own. The processes with workers know its URL:"
                        + " couchjobs work has that of shop in COUCHJOBS_CONNECTION_SHOP. A name from a variable is in lower"
                        + " case and has no hyphen."
            })
    private @Nullable String connection;

    @Option(
            names = "--ignore-own",
            paramLabel = "POINTER",
            description = "Leave out documents that have the trigger's name in this field.")
    private @Nullable String ignoreOwn;

    @Option(
            names = "--write-back",
            paramLabel = "POINTER",
            description = "Write the end of each job into this field of its document.")
    private @Nullable String writeBack;

    @Option(names = "--paused", description = "Make no jobs until it is resumed.")
    private boolean paused;

    private @Nullable Trigger built;

    @Override
    void check() {
        if ((type == null) == (outbox == null)) {
            throw CommandException.usage("give either --type or --outbox");
        } else if (zone != null && cron == null) {
            throw CommandException.usage("--zone needs --cron");
        } else if (batchWait != null && batch == null) {
            throw CommandException.usage("--batch-wait needs --batch");
        }
        try {
            built = build();
        } catch (MalformedDocumentException | IllegalArgumentException wrong) {
            throw CommandException.usage(String.valueOf(wrong.getMessage()));
        }
    }

    private Trigger build() {
        TriggerBuilder builder = Trigger.named(trigger()).source(source);
        which(builder);
        jobs(builder);
        when(builder);
        return builder.build();
    }

    private void which(TriggerBuilder builder) {
        with(connection, builder::connection);
        with(selector, json -> builder.selector(json("--selector", json)));
        if (!prefixes.isEmpty()) {
            builder.prefixes(prefixes.toArray(String[]::new));
        }
        with(deletions, builder::deletions);
        if (designDocs) {
            builder.designDocs();
        }
        with(ignoreOwn, builder::ignoreOwn);
    }

    private void jobs(TriggerBuilder builder) {
        with(type, builder::type);
        with(outbox, builder::outbox);
        with(id, builder::id);
        with(data, json -> builder.data(json("--data", json)));
        if (includeDoc) {
            builder.includeDoc();
        }
        with(group, builder::group);
        with(priority, builder::priority);
        with(maxRetries, builder::maxRetries);
        with(writeBack, builder::writeBack);
    }

    private void when(TriggerBuilder builder) {
        with(deliver, builder::deliver);
        with(from, builder::from);
        with(delay, builder::delay);
        with(debounce, builder::debounce);
        with(batch, size -> builder.batch(size, batchWait == null ? Duration.ofSeconds(1) : batchWait));
        with(cron, expression -> builder.cron(expression, zone(zone == null ? "UTC" : zone)));
        if (paused) {
            builder.paused();
        }
    }

    private static ZoneId zone(String name) {
        try {
            return ZoneId.of(name);
        } catch (DateTimeException unknown) {
            throw CommandException.usage("--zone " + name + " is not known; it may be a region such as Europe/Berlin");
        }
    }

    private static <T> void with(@Nullable T value, Consumer<T> use) {
        if (value != null) {
            use.accept(value);
        }
    }

    private static ObjectNode json(String option, String text) {
        try {
            JsonNode json = InputJson.MAPPER.readTree(text);
            if (json instanceof ObjectNode object) {
                return object;
            }
            throw CommandException.usage(option + " must be a JSON object, not " + text);
        } catch (JsonProcessingException notJson) {
            throw CommandException.usage(option + " is not JSON: " + JobReader.describe(notJson));
        }
    }

    private static Trigger put(JobQueue queue, Trigger trigger) {
        try {
            return queue.triggers().put(trigger);
        } catch (IllegalArgumentException refused) {
            if (refused.getCause() instanceof CouchNotFoundException) {
                throw new CommandException(
                        ExitCode.NOT_FOUND,
                        "trigger " + trigger.name() + " cannot follow " + trigger.source() + ": there is no database "
                                + trigger.source());
            }
            throw refused;
        } catch (CouchUnreachableException away) {
            String connection = trigger.connection().orElseThrow(() -> away);
            throw new CommandException(
                    ExitCode.UNREACHABLE,
                    "trigger " + trigger.name() + " cannot follow " + trigger.source() + " (connection " + connection
                            + "): " + away.reason());
        }
    }

    @Override
    ExitCode run(JobQueue queue) {
        if (built == null) {
            throw new IllegalStateException("run before check");
        }
        Trigger stored = put(queue, built);
        output().table(
                        () -> TriggerText.table(List.of(queue.triggers().status(stored.name()))),
                        () -> TriggerText.whole(queue.triggers().status(stored.name())));
        return ExitCode.DONE;
    }
}
