package io.couchjobs.dashboard;

import io.couchjobs.embedded.junit.CouchExtension;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Marks tests that talk to a CouchDB: the embedded one, or the one that COUCHJOBS_TEST_URL names. */
@Tag("server")
@ExtendWith(CouchExtension.class)
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@interface ServerTest {}
