/** A process per job: runs a program for each job, and gets rid of it and all that it started when it must stop. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.process;
