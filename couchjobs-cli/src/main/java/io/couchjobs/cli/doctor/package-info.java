/** What {@code couchjobs doctor} looks at: one small class per check. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.cli.doctor;
