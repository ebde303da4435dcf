package io.couchjobs.job;

import com.fasterxml.jackson.databind.node.TextNode;
import io.couchjobs.engine.document.Field;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which of several databases that replicate to each other this one is, and so which jobs are run here. Immutable and
 * thread-safe.
 *
 * <p>A job that carries a site is run by the workers of the database of that name, and by no others. A job without one
 * carries no trace of where it was created: exactly one database of a group may take those. That is the one without a
 * name, or one that is <em>home</em>.
 *
 * <p>In the indexes a job stands under its <em>line</em>: its type, and for a job with a site {@code TYPE:SITE}. No type has
 * a colon, so a worker never reads through the jobs of other sites.
 *
 * @param name the name; null for a database that has none
 * @param home whether jobs without a site are run here
 */
public record Site(@Nullable String name, boolean home) {
    /** A database without a name: it takes the jobs without a site, and no others. The default. */
    public static final Site UNNAMED = new Site(null, true);

    private static final char BEFORE_SITE = ':';

    /**
     * Checks the name.
     *
     * @param name the name, or null
     * @param home whether jobs without a site are run here; always so without a name
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
     * A database that takes the jobs of its site only.
     *
     * @param name its name: 1 to 64 letters (a to z), digits, dots, underscores and hyphens
     * @return the site
     * @throws IllegalArgumentException when it cannot be a name
     */
    public static Site named(String name) {
        return new Site(name, false);
    }

    /**
     * Checks a name.
     *
     * @param name the name for a site
     * @return the name
     * @throws IllegalArgumentException when it cannot be one
     */
    public static String checkName(String name) {
        if (!Schema.isSite(name)) {
            throw new IllegalArgumentException("the name of a site must be 1 to 64 letters (a to z), digits, dots,"
                    + " underscores and hyphens: \"" + name + "\"");
        }
        return name;
    }

    /**
     * Whether a job is run here.
     *
     * @param job the job
     * @return true when its site is this one, or it has none and this is where such jobs are run
     */
    public boolean owns(Job job) {
        return owns(job.site().orElse(null));
    }

    /**
     * Whether a document that carries this site is looked after here.
     *
     * @param site the site it carries; null for none
     * @return true when it is this one, or it is none and this is where such jobs are run
     */
    public boolean owns(@Nullable String site) {
        return site == null ? home : site.equals(name);
    }

    /**
     * Whether something that a process wrote about itself was written at this site.
     *
     * @param site the site that it carries; empty for none
     * @return true when that is the name of this one
     */
    public boolean wrote(String site) {
        return site.equals(name == null ? "" : name);
    }

    /**
     * Gives a new job the site it is created at, unless it has one.
     *
     * @param created a job that is not stored yet
     * @return the job as it is to be stored
     */
    public Job stamp(Job created) {
        if (name == null || created.site().isPresent()) {
            return created;
        }
        return created.with(Field.SITE, TextNode.valueOf(name));
    }

    /**
     * The lines in the indexes of the jobs of a type that are run here.
     *
     * @param type the type
     * @return one line, or two where jobs with and without a site are run
     */
    public List<String> lines(String type) {
        if (name == null) {
            return List.of(type);
        }
        String own = type + suffix();
        return home ? List.of(own, type) : List.of(own);
    }

    /**
     * Whether the jobs of a line are run here.
     *
     * @param line a line of any type
     * @return true when they are
     */
    public boolean ownsLine(String line) {
        return owns(siteOf(line).orElse(null));
    }

    /**
     * The line of a job in the indexes.
     *
     * @param job the job
     * @return its line
     */
    public static String lineOf(Job job) {
        return job.site().map(site -> job.type() + BEFORE_SITE + site).orElse(job.type());
    }

    /**
     * The type of the jobs of a line.
     *
     * @param line the line
     * @return the type
     */
    public static String typeOf(String line) {
        int colon = line.indexOf(BEFORE_SITE);
        return colon < 0 ? line : line.substring(0, colon);
    }

    /**
     * The site of the jobs of a line.
     *
     * @param line the line
     * @return the site; empty for jobs that have none
     */
    public static Optional<String> siteOf(String line) {
        int colon = line.indexOf(BEFORE_SITE);
        return colon < 0 ? Optional.empty() : Optional.of(line.substring(colon + 1));
    }

    /**
     * The suffix of the ids of documents that the workers of this database share with each other and with no other
     * site.
     *
     * @return a colon and the name; empty without a name
     */
    public String suffix() {
        return name == null ? "" : BEFORE_SITE + name;
    }

    /**
     * The id of a worker here: workers of two sites may be configured with the same one, and must not share a registration.
     *
     * @param configured the id that was asked for
     * @return that id, with the site's name behind an @
     */
    public String workerId(String configured) {
        return name == null || configured.endsWith("@" + name) ? configured : configured + "@" + name;
    }
}
