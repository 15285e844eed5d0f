package dev.runnel.console.access;

/// A link to sign in with an account of a provider.
///
/// Public because the templates are in another package.
///
/// @param name of the provider: `Slack`
public record SignInLink(String name, String path) {}
