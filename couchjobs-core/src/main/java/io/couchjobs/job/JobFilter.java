package io.couchjobs.job;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Selects the jobs of a list or a watch; a criterion that is not given matches every job. Immutable and thread-safe. For example
 * {@code JobFilter.all().type("email").status(JobStatus.FAILED)}.
 *
 * @param ofType only this type, or null
 * @param ofStatus only this status, or null
 * @param labels only jobs that carry these labels: group, tag, correlation id, class, origin
 * @param ofSite only jobs that carry this site, or null
 */
public record JobFilter(
        @Nullable String ofType,
        @Nullable JobStatus ofStatus,
        Map<Label, String> labels,
        @Nullable String ofSite) {
    private static final JobFilter ALL = new JobFilter(null, null, Map.of(), null);

    /** A field by which creators make jobs findable. An index has the jobs of each label. */
    public enum Label {
        /** The correlation id. Never empty. */
        CORRELATION,
        /** A tag; a job may have several. */
        TAG,
        /** The origin; empty means jobs without one. */
        ORIGIN,
        /** The group; empty means jobs without one. */
        GROUP,
        /** The class; empty means jobs without one. */
        CLASS;

        private boolean isOn(Job job, String value) {
            return switch (this) {
                case CORRELATION -> job.correlationId().equals(Optional.of(value));
                case TAG -> job.tags().contains(value);
                case ORIGIN -> job.origin().orElse("").equals(value);
                case GROUP -> job.group().equals(value);
                case CLASS -> job.jobClass().orElse("").equals(value);
            };
        }
    }

    /**
     * Checks that the correlation id can be that of a job.
     *
     * @param ofType the type or null
     * @param ofStatus the status or null
     * @param labels the labels; copied
     * @param ofSite the site or null
     * @throws IllegalArgumentException when the correlation id is empty
     */
    public JobFilter {
        if ("".equals(labels.get(Label.CORRELATION))) {
            throw new IllegalArgumentException("correlationId must not be empty");
        }
        Map<Label, String> copy = new EnumMap<>(Label.class);
        copy.putAll(labels);
        labels = Collections.unmodifiableMap(copy);
    }

    /** {@return the filter that all jobs pass} */
    public static JobFilter all() {
        return ALL;
    }

    /**
     * {@return this filter, narrowed to one type}
     *
     * @param type only this type
     */
    public JobFilter type(JobType<?> type) {
        return type(type.name());
    }

    /**
     * {@return this filter, narrowed to one type}
     *
     * @param type only this type
     */
    public JobFilter type(String type) {
        return new JobFilter(type, ofStatus, labels, ofSite);
    }

    /**
     * {@return this filter, narrowed to one status}
     *
     * @param status only this status
     */
    public JobFilter status(JobStatus status) {
        return new JobFilter(ofType, status, labels, ofSite);
    }

    /**
     * {@return this filter, narrowed by any label}
     *
     * @param label which label
     * @param value only jobs with this value
     * @throws IllegalArgumentException when it is an empty correlation id
     */
    public JobFilter label(Label label, String value) {
        Map<Label, String> more = new EnumMap<>(Label.class);
        more.putAll(labels);
        more.put(label, value);
        return new JobFilter(ofType, ofStatus, more, ofSite);
    }

    /**
     * {@return this filter, narrowed to one group}
     *
     * @param group only this group; empty means jobs without one
     */
    public JobFilter group(String group) {
        return label(Label.GROUP, group);
    }

    /**
     * {@return this filter, narrowed to one tag}
     *
     * @param tag only jobs with this tag
     */
    public JobFilter tag(String tag) {
        return label(Label.TAG, tag);
    }

    /**
     * {@return this filter, narrowed to one correlation id}
     *
     * @param correlationId only jobs with this correlation id, not empty
     * @throws IllegalArgumentException when it is empty
     */
    public JobFilter correlationId(String correlationId) {
        return label(Label.CORRELATION, correlationId);
    }

    /**
     * {@return this filter, narrowed to one class}
     *
     * @param jobClass only this class; empty means jobs without one
     */
    public JobFilter jobClass(String jobClass) {
        return label(Label.CLASS, jobClass);
    }

    /**
     * {@return this filter, narrowed to one origin}
     *
     * @param origin only this origin, such as {@code schedule:nightly}; empty means jobs without one
     */
    public JobFilter origin(String origin) {
        return label(Label.ORIGIN, origin);
    }

    /**
     * {@return this filter, narrowed to one site}
     *
     * @param site only jobs that carry this site
     */
    public JobFilter site(String site) {
        return new JobFilter(ofType, ofStatus, labels, site);
    }

    /**
     * Asks whether a job passes.
     *
     * @param job the job
     * @return true when it does
     */
    public boolean matches(Job job) {
        return (ofType == null || ofType.equals(job.type()))
                && (ofStatus == null || ofStatus == job.status())
                && (ofSite == null || job.site().equals(Optional.of(ofSite)))
                && labels.entrySet().stream().allMatch(label -> label.getKey().isOn(job, label.getValue()));
    }
}
