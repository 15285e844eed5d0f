package dev.runnel.console.access;

/// A way to sign in with an account elsewhere.
///
/// Public because the templates are in another package.
///
/// @param name of the provider: `Slack`
public record SignInLink(String name, String path) {}
