/** Auto-configuration and annotations for jobs in Spring Boot applications. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.spring;
