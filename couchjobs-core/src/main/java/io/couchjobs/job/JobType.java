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
 * A job type, with the Java type of its data. Creators and handlers that use the same constant agree on the data:
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
 * <p>Priority and retries are written into each job that is created with this type, unless its request says otherwise. Timeout and
 * retention are settings of the type in the database. A worker with a handler for the type stores them when it starts, but never
 * overwrites settings that exist. In a database with a guard, only an administrator may store settings; {@code
 * queue.types().define(EMAIL)} does the same as the worker.
 *
 * <p>Immutable and thread-safe. Two types are equal when their name, data type and defaults are equal.
 *
 * @param <T> the Java type of the jobs' data: a record, a bean, a map, a Kotlin data class (with {@code jackson-module-kotlin} on
 *     the class path), or {@code ObjectNode} for the raw JSON
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
     * Creates a job type with a class for the data.
     *
     * @param name the name of the type, such as {@code email}
     * @param data the class
     * @param <T> the class
     * @return the type, without defaults
     * @throws IllegalArgumentException when the name is empty or contains a colon
     */
    public static <T> JobType<T> of(String name, Class<T> data) {
        return new JobType<>(JobId.checkType(name), JobData.javaType(data), Defaults.NONE);
    }

    /**
     * Creates a job type with a generic class for the data, such as {@code new TypeReference<Map<String, Price>>() {}}.
     *
     * @param name the name of the type
     * @param data the class, with its type arguments
     * @param <T> the class
     * @return the type, without defaults
     * @throws IllegalArgumentException when the name is empty or contains a colon
     */
    public static <T> JobType<T> of(String name, TypeReference<T> data) {
        return new JobType<>(JobId.checkType(name), JobData.javaType(data.getType()), Defaults.NONE);
    }

    /**
     * Creates a job type with a Java type for the data that is known only at run time, for frameworks.
     *
     * @param name the name of the type
     * @param data the Java type
     * @return the type, without defaults
     * @throws IllegalArgumentException when the name is empty or contains a colon
     */
    public static JobType<Object> of(String name, Type data) {
        return new JobType<>(JobId.checkType(name), JobData.javaType(data), Defaults.NONE);
    }

    /** {@return the name of the type} */
    public String name() {
        return name;
    }

    /** {@return the Java type of the jobs' data} */
    public Type dataType() {
        return dataType;
    }

    /**
     * {@return a job type with the same data type and defaults under another name}
     *
     * @param other the name
     * @throws IllegalArgumentException when the name is empty or contains a colon
     */
    public JobType<T> named(String other) {
        return new JobType<>(JobId.checkType(other), dataType, defaults);
    }

    /**
     * Converts a job's data to the Java type.
     *
     * @param data the data
     * @return the converted value
     * @throws InvalidJobDataException when the data does not fit
     */
    public T bind(ObjectNode data) {
        return JobData.bind(data, dataType);
    }

    /**
     * {@return this type, with a default priority for its jobs}
     *
     * @param priority the priority, from 0 (lowest) to 99
     * @throws IllegalArgumentException when the value is out of range
     */
    public JobType<T> withPriority(int priority) {
        require(priority >= 0 && priority <= 99, "priority must be 0 to 99: " + priority);
        return with(new Defaults(priority, defaults.maxRetries, defaults.timeout, defaults.retention));
    }

    /**
     * {@return this type, with a default number of retries after the first run of its jobs}
     *
     * @param maxRetries 0 or more
     * @throws IllegalArgumentException when the number is negative
     */
    public JobType<T> withMaxRetries(int maxRetries) {
        require(maxRetries >= 0, "maxRetries must be 0 or more: " + maxRetries);
        return with(new Defaults(defaults.priority, maxRetries, defaults.timeout, defaults.retention));
    }

    /**
     * {@return this type, with a timeout: how long an owner may be silent before another worker takes its job}
     *
     * @param timeout from 1 ms to 1000 days
     * @throws IllegalArgumentException when the value is out of range
     */
    public JobType<T> withTimeout(Duration timeout) {
        boolean isInRange =
                timeout.compareTo(Duration.ofMillis(1)) >= 0 && timeout.compareTo(Duration.ofDays(1000)) <= 0;
        require(isInRange, "timeout must be from 1 ms to 1000 days: " + timeout);
        return with(new Defaults(defaults.priority, defaults.maxRetries, timeout, defaults.retention));
    }

    /**
     * {@return this type, with a retention: how long successful jobs stay in the database}
     *
     * @param retention from 1 s to 36500 days
     * @throws IllegalArgumentException when the value is out of range
     */
    public JobType<T> withRetention(Duration retention) {
        boolean isInRange =
                retention.compareTo(Duration.ofSeconds(1)) >= 0 && retention.compareTo(Duration.ofDays(36_500)) <= 0;
        require(isInRange, "retention must be from 1 s to 36500 days: " + retention);
        return with(new Defaults(defaults.priority, defaults.maxRetries, defaults.timeout, retention));
    }

    /** {@return the default priority of its jobs, if set} */
    public OptionalInt priority() {
        return defaults.priority == null ? OptionalInt.empty() : OptionalInt.of(defaults.priority);
    }

    /** {@return the default number of retries after the first run, if set} */
    public OptionalInt maxRetries() {
        return defaults.maxRetries == null ? OptionalInt.empty() : OptionalInt.of(defaults.maxRetries);
    }

    /** {@return how long an owner may be silent, if set} */
    public Optional<Duration> timeout() {
        return Optional.ofNullable(defaults.timeout);
    }

    /** {@return how long successful jobs stay in the database, if set} */
    public Optional<Duration> retention() {
        return Optional.ofNullable(defaults.retention);
    }

    /**
     * {@return this type, with the priority, retries, timeout and retention of another}
     *
     * @param other the type whose defaults are used
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
