package dev.runnel.surface.slack.install;

import dev.runnel.surface.PlatformPage.Html;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// Makes the pages of the installation.
final class SlackPage {
  private static final String STYLE =
      "body{font:17px/1.5 system-ui,sans-serif;max-width:34rem;margin:12vh auto;padding:0 1.5rem;"
          + "color:#1c1917;background:#fafaf9}h1{font-size:1.5rem}code{background:#e7e5e4;"
          + "padding:.1em .35em;border-radius:4px}a.button{display:inline-block;background:#14532d;"
          + "color:#fff;padding:.5em 1.1em;border-radius:6px;text-decoration:none}"
          + "@media(prefers-color-scheme:dark){body{color:#f5f5f4;background:#1c1917}"
          + "code{background:#44403c}}";

  private SlackPage() {}

  static Html redirect(URI to, Map<String, String> headers) {
    var all = new HashMap<>(headers);
    all.put("Location", to.toString());
    all.put("Cache-Control", "no-store");
    return new Html(302, all, "");
  }

  /// @param title plain text
  /// @param body HTML
  static Html of(int status, String title, String body, Optional<Button> button) {
    return new Html(
        status,
        Map.of(
            "Cache-Control",
            "no-store",
            // The URL contains Slack's authorization code.
            "Referrer-Policy",
            "no-referrer",
            "Content-Security-Policy",
            "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
            "X-Content-Type-Options",
            "nosniff"),
        """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>%1$s</title>
        <style>%2$s</style>
        <h1>%1$s</h1>
        %3$s
        %4$s
        </html>
        """
            .formatted(escape(title), STYLE, body, button.map(Button::html).orElse("")));
  }

  /// @param to a URL or a path
  record Button(String text, String to) {
    private String html() {
      return "<p><a class=\"button\" href=\"%s\">%s</a></p>".formatted(escape(to), escape(text));
    }
  }

  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
