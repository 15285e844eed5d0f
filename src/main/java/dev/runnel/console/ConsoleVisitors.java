package dev.runnel.console;

import dev.runnel.console.access.ConsoleAuthentication;
import dev.runnel.console.access.SignInProviders;
import dev.runnel.core.policy.Policy;
import java.util.function.Supplier;

/// How visitors of the console sign in, and what they may do.
///
/// @param authentication the instance that the console's surface uses
/// @param policy as it is now
/// @param isHttps whether the console is reached by HTTPS from outside
public record ConsoleVisitors(
    ConsoleAuthentication authentication,
    SignInProviders signIn,
    Supplier<Policy> policy,
    boolean isHttps) {}
