package io.couchjobs.job;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Selects the jobs of a list or a watch; a null criterion matches every job. Immutable and thread-safe. Default: all
 * jobs.
 *
 * @param ofType only this type, or null
 * @param ofStatus only this status, or null
 * @param ofGroup only this group, or null
 * @param ofTag only jobs with this tag, or null
 * @param ofCorrelation only this correlation id, or null
 * @param ofSite only jobs that carry this site, or null
 */
public record JobFilter(
        @Nullable String ofType,
        @Nullable JobStatus ofStatus,
        @Nullable String ofGroup,
        @Nullable String ofTag,
        @Nullable String ofCorrelation,
        @Nullable String ofSite) {

    /**
     * Checks that the correlation id can be that of a job.
     *
     * @param ofType the type or null
     * @param ofStatus the status or null
     * @param ofGroup the group or null
     * @param ofTag the tag or null
     * @param ofCorrelation the correlation id or null
     * @param ofSite the site or null
     * @throws IllegalArgumentException when it is empty
     */
    public JobFilter {
        if (ofCorrelation != null && ofCorrelation.isEmpty()) {
            throw new IllegalArgumentException("correlationId must not be empty");
        }
    }

    /** {@return the filter that all jobs pass} */
    public static JobFilter all() {
        return new JobFilter(null, null, null, null, null, null);
    }

    /**
     * Narrows the filter.
     *
     * @param type only this type
     * @return the narrower filter
     */
    public JobFilter type(JobType<?> type) {
        return type(type.name());
    }

    /**
     * Narrows the filter.
     *
     * @param type only this type
     * @return the narrower filter
     */
    public JobFilter type(String type) {
        return new JobFilter(type, ofStatus, ofGroup, ofTag, ofCorrelation, ofSite);
    }

    /**
     * Narrows the filter.
     *
     * @param status only this status
     * @return the narrower filter
     */
    public JobFilter status(JobStatus status) {
        return new JobFilter(ofType, status, ofGroup, ofTag, ofCorrelation, ofSite);
    }

    /**
     * Narrows the filter.
     *
     * @param group only this group
     * @return the narrower filter
     */
    public JobFilter group(String group) {
        return new JobFilter(ofType, ofStatus, group, ofTag, ofCorrelation, ofSite);
    }

    /**
     * Narrows the filter.
     *
     * @param tag only jobs with this tag
     * @return the narrower filter
     */
    public JobFilter tag(String tag) {
        return new JobFilter(ofType, ofStatus, ofGroup, tag, ofCorrelation, ofSite);
    }

    /**
     * Narrows the filter.
     *
     * @param correlationId only jobs with this correlation id, not empty
     * @return the narrower filter
     * @throws IllegalArgumentException when it is empty
     */
    public JobFilter correlationId(String correlationId) {
        return new JobFilter(ofType, ofStatus, ofGroup, ofTag, correlationId, ofSite);
    }

    /**
     * Narrows the filter.
     *
     * @param site only jobs that carry this site
     * @return the narrower filter
     */
    public JobFilter site(String site) {
        return new JobFilter(ofType, ofStatus, ofGroup, ofTag, ofCorrelation, site);
    }

    /**
     * Asks whether a job passes.
     *
     * @param job the job
     * @return true when it does
     */
    public boolean matches(Job job) {
        return isOrAny(ofType, job.type())
                && (ofStatus == null || ofStatus == job.status())
                && isOrAny(ofGroup, job.group())
                && (ofSite == null || job.site().equals(Optional.of(ofSite)))
                && (ofTag == null || job.tags().contains(ofTag))
                && (ofCorrelation == null || job.correlationId().equals(Optional.of(ofCorrelation)));
    }

    private static boolean isOrAny(@Nullable String wanted, String actual) {
        return wanted == null || wanted.equals(actual);
    }
}
