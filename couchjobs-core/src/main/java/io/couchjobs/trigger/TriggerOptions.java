package io.couchjobs.trigger;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.CheckedFields;
import io.couchjobs.schedule.Timing;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The fields of a trigger's document, as Java values. Immutable and thread-safe. */
final class TriggerOptions {
    private static final Pattern SOURCE = Pattern.compile("[a-z0-9_$()+/*-]{1,250}");
    private static final Set<String> FIELDS = Set.of(
            "source",
            "connection",
            "selector",
            "prefixes",
            "deletions",
            "designDocs",
            "ignoreOwn",
            "job",
            "outbox",
            "deliver",
            "from",
            "delay",
            "debounce",
            "batch",
            "cron",
            "zone",
            "writeBack",
            "enabled",
            "site",
            "uncounted");
    private static final Set<String> BATCH_FIELDS = Set.of("size", "wait");
    private static final int LARGEST_BATCH = 1000;

    final String source;
    final Optional<String> connection;
    final Optional<ObjectNode> selector;
    final List<String> prefixes;
    final Trigger.Deletions deletions;
    final boolean designDocs;
    final Optional<JsonPointer> ignoreOwn;
    final Optional<JobPattern> job;
    final Optional<Outbox.Entries> outbox;
    final Trigger.Delivery delivery;
    final String from;
    final Duration delay;
    final Duration debounce;
    final Optional<Trigger.Batch> batch;
    final Optional<Timing.Cron> period;
    final Optional<JsonPointer> writeBack;
    final boolean enabled;
    final Optional<String> site;

    /** @param document the trigger's document, which must not be modified afterwards */
    TriggerOptions(String name, ObjectNode document) {
        CheckedFields fields = new CheckedFields(document, "");
        fields.requireOnly(FIELDS);
        this.source = source(fields);
        this.connection = fields.text("connection");
        this.selector = fields.object("selector");
        this.prefixes = fields.texts("prefixes");
        this.deletions = fields.choice("deletions", Trigger.Deletions.class).orElse(Trigger.Deletions.INCLUDE);
        this.designDocs = fields.flag("designDocs", false);
        this.ignoreOwn = fields.pointer("ignoreOwn");
        this.delivery = fields.choice("deliver", Trigger.Delivery.class).orElse(Trigger.Delivery.LATEST);
        this.job = fields.fields("job").map(inner -> new JobPattern(name, inner, delivery == Trigger.Delivery.EVERY));
        this.outbox = fields.choice("outbox", Outbox.Entries.class);
        this.from = fields.text("from").orElse("now");
        this.delay = fields.duration("delay").orElse(Duration.ZERO);
        this.debounce = fields.duration("debounce").orElse(Duration.ZERO);
        this.batch = fields.fields("batch").map(TriggerOptions::batch);
        this.period =
                fields.text("cron").map(cron -> timing(cron, fields.text("zone").orElse("UTC")));
        this.writeBack = fields.pointer("writeBack");
        this.enabled = fields.flag("enabled", true);
        this.site = fields.text("site");
        requireTogether();
    }

    private void requireTogether() {
        if (job.isPresent() == outbox.isPresent()) {
            throw new IllegalArgumentException("it needs either a field job or a field outbox");
        }
        require(batch.isEmpty() || job.isPresent(), "an outbox makes the jobs of its documents, and has no batch");
        require(
                outbox.isEmpty() || (delay.isZero() && debounce.isZero()),
                "an outbox has neither delay nor debounce: each of its entries may have a scheduledTime");
        require(
                batch.isEmpty() || job.filter(JobPattern::hasIdOrGroup).isEmpty(),
                "the job of a batch is of many documents, and has neither job.id nor job.group");
        require(
                batch.isEmpty() || writeBack.isEmpty(),
                "the job of a batch is of many documents, and has no writeBack");
        require(
                batch.isEmpty() || debounce.isZero(),
                "batch and debounce exclude each other: batch.wait is a debounce for all");
        require(delivery == Trigger.Delivery.LATEST || debounce.isZero(), "debounce needs deliver latest");
        require(period.isEmpty() || batch.isEmpty(), "cron and batch exclude each other");
        require(
                !source.contains("*") || List.of("now", "beginning").contains(from),
                "field from must be now or beginning, not \"" + from
                        + "\": the databases of a pattern have positions of their own");
    }

    private static void require(boolean holds, String problem) {
        if (!holds) {
            throw new IllegalArgumentException(problem);
        }
    }

    private static String source(CheckedFields fields) {
        String source = fields.required("source", "the database whose changes make jobs, or a pattern such as shop-*");
        if (!SOURCE.matcher(source).matches()) {
            throw fields.wrong("source", "the name of a database, or a pattern with * for any characters");
        }
        return source;
    }

    private static Trigger.Batch batch(CheckedFields fields) {
        fields.requireOnly(BATCH_FIELDS);
        int size = fields.number("size", 1, LARGEST_BATCH).map(Long::intValue).orElse(LARGEST_BATCH);
        return new Trigger.Batch(size, fields.duration("wait").orElse(Duration.ofSeconds(1)));
    }

    private static Timing.Cron timing(String cron, String zone) {
        try {
            return Timing.Cron.of(cron, ZoneId.of(zone));
        } catch (DateTimeException unknown) {
            throw new IllegalArgumentException(
                    "field zone \"" + zone + "\" is not known; it may be a region such as Europe/Berlin", unknown);
        }
    }
}
