/// Providers with which people sign in at the console: Slack and others by OpenID Connect, GitHub
/// by OAuth. Secrets stay in the bodies of requests, and no message of an exception holds one.
@NullMarked
package dev.runnel.signin;

import org.jspecify.annotations.NullMarked;
