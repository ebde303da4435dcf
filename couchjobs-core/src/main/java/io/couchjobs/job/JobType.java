package io.couchjobs.job;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A type of jobs, and the Java type of their data. Creators and handlers that use the same constant cannot disagree about the data:
 *
 * <pre>{@code
 * record Email(String to, String subject) {}
 *
 * static final JobType<Email> EMAIL = JobType.of("email", Email.class).withTimeout(Duration.ofMinutes(5));
 *
 * queue.add(EMAIL, new Email("ada@example.org", "Hello"));
 * queue.worker().handler(EMAIL, (email, context) -> send(email)).start();
 * }</pre>
 *
 * <p>Priority and retries are written into each job that is made with this type, unless its request says otherwise. Timeout and
 * retention are settings of the type in the database. A worker with a handler for the type stores them when it starts, unless the
 * type has such a setting already: what an operator has set stays. Where the database has a guard,
 * only an administrator may do so: {@code queue.types().define(EMAIL)} does the same.
 *
 * <p>Immutable and thread-safe. Two are equal when name, data and defaults are.
 *
 * @param <T> what the jobs' data is bound to: a record, a bean, a map, a data class of Kotlin (with {@code jackson-module-kotlin} on the class
 *     path), or {@code ObjectNode} for the data as it is
 */
public final class JobType<T> {
    private final String name;
    private final JavaType dataType;
    private final Defaults defaults;

    private record Defaults(
            @Nullable Integer priority,
            @Nullable Integer maxRetries,
            @Nullable Duration timeout,
            @Nullable Duration retention) {
        private static final Defaults NONE = new Defaults(null, null, null, null);
    }

    private JobType(String name, JavaType dataType, Defaults defaults) {
        this.name = name;
        this.dataType = dataType;
        this.defaults = defaults;
    }

    /**
     * A type whose jobs have the data of a class.
     *
     * @param name the name of the type, such as {@code email}
     * @param data the class
     * @param <T> the class
     * @return the type, without defaults
     * @throws IllegalArgumentException when the name is empty or has a colon in it
     */
    public static <T> JobType<T> of(String name, Class<T> data) {
        return new JobType<>(JobId.checkType(name), JobData.javaType(data), Defaults.NONE);
    }

    /**
     * A type whose jobs have the data of a generic class, such as {@code new TypeReference<Map<String, Price>>() {}}.
     *
     * @param name the name of the type
     * @param data the class, with its type arguments
     * @param <T> the class
     * @return the type, without defaults
     * @throws IllegalArgumentException when the name is empty or has a colon in it
     */
    public static <T> JobType<T> of(String name, TypeReference<T> data) {
        return new JobType<>(JobId.checkType(name), JobData.javaType(data.getType()), Defaults.NONE);
    }

    /**
     * A type whose jobs have data of a Java type that is known at run time only, for frameworks.
     *
     * @param name the name of the type
     * @param data the Java type
     * @return the type, without defaults
     * @throws IllegalArgumentException when the name is empty or has a colon in it
     */
    public static JobType<Object> of(String name, Type data) {
        return new JobType<>(JobId.checkType(name), JobData.javaType(data), Defaults.NONE);
    }

    /** {@return the name of the type} */
    public String name() {
        return name;
    }

    /** {@return what the jobs' data is bound to} */
    public Type dataType() {
        return dataType;
    }

    /**
     * {@return the same data and defaults under another name}
     *
     * @param other the name
     * @throws IllegalArgumentException when the name is empty or has a colon in it
     */
    public JobType<T> named(String other) {
        return new JobType<>(JobId.checkType(other), dataType, defaults);
    }

    /**
     * Binds a job's data.
     *
     * @param data the data
     * @return the bound value
     * @throws InvalidJobDataException when the data does not fit
     */
    public T bind(ObjectNode data) {
        return JobData.bind(data, dataType);
    }

    /**
     * {@return this type, with the priority of the jobs that are made with it}
     *
     * @param priority 0 (least) to 99
     * @throws IllegalArgumentException when it is out of range
     */
    public JobType<T> withPriority(int priority) {
        require(priority >= 0 && priority <= 99, "priority must be 0 to 99: " + priority);
        return with(new Defaults(priority, defaults.maxRetries, defaults.timeout, defaults.retention));
    }

    /**
     * {@return this type, with the number of retries that follow the first run of the jobs that are made with it}
     *
     * @param maxRetries 0 or more
     * @throws IllegalArgumentException when it is negative
     */
    public JobType<T> withMaxRetries(int maxRetries) {
        require(maxRetries >= 0, "maxRetries must be 0 or more: " + maxRetries);
        return with(new Defaults(defaults.priority, maxRetries, defaults.timeout, defaults.retention));
    }

    /**
     * {@return this type, with the time that an owner of such a job may be silent before another worker takes the job}
     *
     * @param timeout from 1 ms to 1000 days
     * @throws IllegalArgumentException when it is out of range
     */
    public JobType<T> withTimeout(Duration timeout) {
        boolean isInRange =
                timeout.compareTo(Duration.ofMillis(1)) >= 0 && timeout.compareTo(Duration.ofDays(1000)) <= 0;
        require(isInRange, "timeout must be from 1 ms to 1000 days: " + timeout);
        return with(new Defaults(defaults.priority, defaults.maxRetries, timeout, defaults.retention));
    }

    /**
     * {@return this type, with the time that jobs that succeeded stay in the database}
     *
     * @param retention from 1 s to 36500 days
     * @throws IllegalArgumentException when it is out of range
     */
    public JobType<T> withRetention(Duration retention) {
        boolean isInRange =
                retention.compareTo(Duration.ofSeconds(1)) >= 0 && retention.compareTo(Duration.ofDays(36_500)) <= 0;
        require(isInRange, "retention must be from 1 s to 36500 days: " + retention);
        return with(new Defaults(defaults.priority, defaults.maxRetries, defaults.timeout, retention));
    }

    /** {@return the priority of its jobs, where it has one} */
    public OptionalInt priority() {
        return defaults.priority == null ? OptionalInt.empty() : OptionalInt.of(defaults.priority);
    }

    /** {@return how many retries follow the first run, where it says so} */
    public OptionalInt maxRetries() {
        return defaults.maxRetries == null ? OptionalInt.empty() : OptionalInt.of(defaults.maxRetries);
    }

    /** {@return how long an owner may be silent, where it says so} */
    public Optional<Duration> timeout() {
        return Optional.ofNullable(defaults.timeout);
    }

    /** {@return how long jobs that succeeded stay, where it says so} */
    public Optional<Duration> retention() {
        return Optional.ofNullable(defaults.retention);
    }

    /**
     * {@return this type, with the priority, retries, timeout and retention of another}
     *
     * @param other where they are taken from
     */
    public JobType<T> withDefaultsOf(JobType<?> other) {
        return with(other.defaults);
    }

    private JobType<T> with(Defaults changed) {
        return new JobType<>(name, dataType, changed);
    }

    private static void require(boolean holds, String problem) {
        if (!holds) {
            throw new IllegalArgumentException(problem);
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof JobType<?> type
                && name.equals(type.name)
                && dataType.equals(type.dataType)
                && defaults.equals(type.defaults);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    @Override
    public String toString() {
        return "JobType[" + name + ", " + dataType.toCanonical() + "]";
    }
}
