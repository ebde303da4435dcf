/** Who may do what: roles, the guard in the database, and the users. */
@NullMarked
package io.couchjobs.security;

import org.jspecify.annotations.NullMarked;
