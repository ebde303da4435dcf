/** The checks of {@code couchjobs doctor}: one small class per check. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.cli.doctor;
