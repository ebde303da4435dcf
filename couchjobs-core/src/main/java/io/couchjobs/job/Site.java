package io.couchjobs.job;

import com.fasterxml.jackson.databind.node.TextNode;
import io.couchjobs.engine.document.Field;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The site that a database is, among several databases that replicate to each other. The site determines which jobs run here.
 * Immutable and thread-safe.
 *
 * <p>A job with a site runs only on workers of the database with that name. A job without a site does not say where it was created.
 * So exactly one database of a group may run such jobs: the one without a name, or the one that is <em>home</em>.
 *
 * <p>The indexes list a job under its <em>line</em>: its type, or {@code TYPE:SITE} for a job with a site. Types have no colon, so
 * a worker never has to skip the jobs of other sites.
 *
 * @param name the name; null for a database without a name
 * @param home whether jobs without a site run here
 */
public record Site(@Nullable String name, boolean home) {
    /** The site of a database without a name, which runs only jobs without a site. The default. */
    public static final Site UNNAMED = new Site(null, true);

    private static final char BEFORE_SITE = ':';

    /**
     * Checks the name.
     *
     * @param name the name, or null
     * @param home whether jobs without a site run here; always so without a name
     * @throws IllegalArgumentException when the name is not 1 to 64 letters (a to z), digits, dots, underscores and hyphens
     */
    public Site {
        if (name == null) {
            home = true;
        } else {
            checkName(name);
        }
    }

    /**
     * Returns the site of a database that runs only the jobs of its own site.
     *
     * @param name the name: 1 to 64 letters (a to z), digits, dots, underscores and hyphens
     * @return the site
     * @throws IllegalArgumentException when the name is invalid
     */
    public static Site named(String name) {
        return new Site(name, false);
    }

    /**
     * Checks a name.
     *
     * @param name the name of a site
     * @return the name
     * @throws IllegalArgumentException when the name is invalid
     */
    public static String checkName(String name) {
        if (!Schema.isSite(name)) {
            throw new IllegalArgumentException("the name of a site must be 1 to 64 letters (a to z), digits, dots,"
                    + " underscores and hyphens: \"" + name + "\"");
        }
        return name;
    }

    /**
     * Returns whether a job runs here.
     *
     * @param job the job
     * @return true if the job's site is this one, or the job has no site and such jobs run here
     */
    public boolean owns(Job job) {
        return owns(job.site().orElse(null));
    }

    /**
     * Returns whether a document with a given site belongs to this database.
     *
     * @param site the document's site; null for none
     * @return true if the site is this one, or there is none and jobs without a site run here
     */
    public boolean owns(@Nullable String site) {
        return site == null ? home : site.equals(name);
    }

    /**
     * Returns whether a document that a process wrote about itself was written at this site.
     *
     * @param site the site in the document; empty for none
     * @return true if the site is this one
     */
    public boolean wrote(String site) {
        return site.equals(name == null ? "" : name);
    }

    /**
     * Sets the site of a new job to this one, unless the job has a site.
     *
     * @param created a job that is not stored yet
     * @return the job to be stored
     */
    public Job stamp(Job created) {
        if (name == null || created.site().isPresent()) {
            return created;
        }
        return created.with(Field.SITE, TextNode.valueOf(name));
    }

    /**
     * Returns the index lines of the jobs of a type that run here.
     *
     * @param type the type
     * @return one line, or two if jobs with and without a site run here
     */
    public List<String> lines(String type) {
        if (name == null) {
            return List.of(type);
        }
        String own = type + suffix();
        return home ? List.of(own, type) : List.of(own);
    }

    /**
     * Returns whether the jobs of a line run here.
     *
     * @param line a line of any type
     * @return true if they run here
     */
    public boolean ownsLine(String line) {
        return owns(siteOf(line).orElse(null));
    }

    /**
     * Returns the index line of a job.
     *
     * @param job the job
     * @return the line
     */
    public static String lineOf(Job job) {
        return job.site().map(site -> job.type() + BEFORE_SITE + site).orElse(job.type());
    }

    /**
     * Returns the type of the jobs of a line.
     *
     * @param line the line
     * @return the type
     */
    public static String typeOf(String line) {
        int colon = line.indexOf(BEFORE_SITE);
        return colon < 0 ? line : line.substring(0, colon);
    }

    /**
     * Returns the site of the jobs of a line.
     *
     * @param line the line
     * @return the site; empty for jobs without a site
     */
    public static Optional<String> siteOf(String line) {
        int colon = line.indexOf(BEFORE_SITE);
        return colon < 0 ? Optional.empty() : Optional.of(line.substring(colon + 1));
    }

    /**
     * Returns the suffix of the ids of documents that only the workers of this site share.
     *
     * @return a colon and the name; an empty string without a name
     */
    public String suffix() {
        return name == null ? "" : BEFORE_SITE + name;
    }

    /**
     * Returns the id of a worker at this site. Workers of two sites may be configured with the same id, but must not share a
     * registration.
     *
     * @param configured the configured id
     * @return the configured id, followed by an @ and the site's name if the site has a name
     */
    public String workerId(String configured) {
        return name == null || configured.endsWith("@" + name) ? configured : configured + "@" + name;
    }
}
