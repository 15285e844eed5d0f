package dev.runnel.surface.azure;

import dev.runnel.surface.markdown.HtmlText;
import java.util.Optional;
import java.util.regex.Pattern;

/// Reads what people write: Markdown, or the HTML of the older editor. A mention of the bot's
/// account, chosen from the list of people, becomes the mention word.
///
/// @param mention the mention word, with its `@`
record AzureText(AzureApi api, String mention) {
  // The editor's HTML is one element, or several, from the beginning.
  private static final Pattern HTML =
      Pattern.compile("(?s)^\\s*<(?:[A-Za-z][A-Za-z0-9]*)[\\s/>].*");
  private static final String GUID = "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}";
  private static final Pattern IN_MARKDOWN = Pattern.compile("@<(?<id>" + GUID + ")>");
  private static final Pattern IN_HTML = Pattern.compile("version:[0-9.]+,(?<id>" + GUID + ")");
  private static final String ATTRIBUTE = "data-vss-mention";

  String markdown(String text) {
    return HTML.matcher(text).matches()
        ? HtmlText.markdown(text, ATTRIBUTE, this::mentioned)
        : IN_MARKDOWN
            .matcher(text)
            .replaceAll(person -> api.isOurId(person.group("id")) ? mention : "$0");
  }

  private Optional<String> mentioned(String attribute) {
    var person = IN_HTML.matcher(attribute);
    return person.matches() && api.isOurId(person.group("id"))
        ? Optional.of(mention)
        : Optional.empty();
  }
}
