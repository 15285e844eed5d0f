/// Identity providers with which people sign in at the console: Slack and others by OpenID Connect,
/// GitHub by OAuth. Secrets are sent only in headers and bodies of requests, and exception messages
/// contain none.
@NullMarked
package dev.runnel.signin;

import org.jspecify.annotations.NullMarked;
