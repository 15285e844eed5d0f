package dev.runnel.surface.github;

import java.util.regex.Pattern;

/// The API path of a repository's or an organization's webhook.
///
/// @param path `/repos/acme/shop/hooks/123`
record HookPath(String path) {
  private static final Pattern FORM =
      Pattern.compile(
          "^(?<owner>[A-Za-z0-9][A-Za-z0-9_-]*)(?:/(?<name>(?!\\.{1,2}/)[A-Za-z0-9._-]+))?"
              + "/(?<id>[0-9]{1,18})");

  /// The webhook of a GitHub App.
  static final HookPath APP_HOOK = new HookPath("/app/hook");

  /// @param text `acme/shop/123` for a repository's webhook, `acme/123` for an organization's
  static HookPath of(String text) {
    var form = FORM.matcher(text);
    if (!form.matches()) {
      throw new IllegalArgumentException(
          GitHubConfig.HOOKS
              + " lists webhooks by owner, repository and number, such as acme/shop/123, or"
              + " acme/123 for an organisation's.");
    }
    var place =
        form.group("name") == null
            ? "/orgs/" + form.group("owner")
            : "/repos/" + form.group("owner") + "/" + form.group("name");
    return new HookPath(place + "/hooks/" + form.group("id"));
  }
}
