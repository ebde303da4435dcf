/** Jobs in Spring Boot applications. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.spring;
