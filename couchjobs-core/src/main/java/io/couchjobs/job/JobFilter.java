package io.couchjobs.job;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Selects the jobs of a list or a watch. A criterion that is not set matches every job. Immutable and thread-safe. Example: {@code
 * JobFilter.all().type("email").status(JobStatus.FAILED)}.
 *
 * @param ofType the type that jobs must have, or null
 * @param ofStatus the status that jobs must have, or null
 * @param labels the labels that jobs must have: group, tag, correlation id, class, origin
 * @param ofSite the site that jobs must have, or null
 */
public record JobFilter(
        @Nullable String ofType,
        @Nullable JobStatus ofStatus,
        Map<Label, String> labels,
        @Nullable String ofSite) {
    private static final JobFilter ALL = new JobFilter(null, null, Map.of(), null);

    /** A field that creators set to find jobs by. An index lists the jobs of each label. */
    public enum Label {
        /** The correlation id. Never empty. */
        CORRELATION,
        /** A tag; a job may have several. */
        TAG,
        /** The origin; empty means jobs without an origin. */
        ORIGIN,
        /** The group; empty means jobs without a group. */
        GROUP,
        /** The class; empty means jobs without a class. */
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
     * Checks that the correlation id is not empty, and copies the labels.
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

    /** {@return the filter that matches all jobs} */
    public static JobFilter all() {
        return ALL;
    }

    /**
     * {@return this filter, narrowed to one type}
     *
     * @param type the type
     */
    public JobFilter type(JobType<?> type) {
        return type(type.name());
    }

    /**
     * {@return this filter, narrowed to one type}
     *
     * @param type the type
     */
    public JobFilter type(String type) {
        return new JobFilter(type, ofStatus, labels, ofSite);
    }

    /**
     * {@return this filter, narrowed to one status}
     *
     * @param status the status
     */
    public JobFilter status(JobStatus status) {
        return new JobFilter(ofType, status, labels, ofSite);
    }

    /**
     * {@return this filter, narrowed to one value of a label}
     *
     * @param label the label
     * @param value the value
     * @throws IllegalArgumentException when the value is an empty correlation id
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
     * @param group the group; empty means jobs without a group
     */
    public JobFilter group(String group) {
        return label(Label.GROUP, group);
    }

    /**
     * {@return this filter, narrowed to one tag}
     *
     * @param tag the tag
     */
    public JobFilter tag(String tag) {
        return label(Label.TAG, tag);
    }

    /**
     * {@return this filter, narrowed to one correlation id}
     *
     * @param correlationId the correlation id, not empty
     * @throws IllegalArgumentException when the correlation id is empty
     */
    public JobFilter correlationId(String correlationId) {
        return label(Label.CORRELATION, correlationId);
    }

    /**
     * {@return this filter, narrowed to one class}
     *
     * @param jobClass the class; empty means jobs without a class
     */
    public JobFilter jobClass(String jobClass) {
        return label(Label.CLASS, jobClass);
    }

    /**
     * {@return this filter, narrowed to one origin}
     *
     * @param origin the origin, such as {@code schedule:nightly}; empty means jobs without an origin
     */
    public JobFilter origin(String origin) {
        return label(Label.ORIGIN, origin);
    }

    /**
     * {@return this filter, narrowed to one site}
     *
     * @param site the site
     */
    public JobFilter site(String site) {
        return new JobFilter(ofType, ofStatus, labels, site);
    }

    /**
     * Returns whether a job matches this filter.
     *
     * @param job the job
     * @return whether the job matches
     */
    public boolean matches(Job job) {
        return (ofType == null || ofType.equals(job.type()))
                && (ofStatus == null || ofStatus == job.status())
                && (ofSite == null || job.site().equals(Optional.of(ofSite)))
                && labels.entrySet().stream().allMatch(label -> label.getKey().isOn(job, label.getValue()));
    }
}
