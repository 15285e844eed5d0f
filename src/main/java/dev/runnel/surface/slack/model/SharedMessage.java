package dev.runnel.surface.slack.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.slack.api.model.Attachment;
import com.slack.api.model.Message;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.prompt.InvisibleCharacters;
import dev.runnel.text.Truncation;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A message that a user forwarded with another message. Its author may be a stranger, so the agent
/// gets its text only as a quote, and no command is read from it.
///
/// @param author the display name; may be blank
/// @param text in Slack's markup, and the names of its files; blank if there are none
public record SharedMessage(String author, String text) {
  /// In characters, of all forwarded messages of a message together.
  private static final int MAX_QUOTE = 6_000;

  private static final String LOOK = "Look at the forwarded message.";
  private static final String UNREADABLE =
      "The message that you forwarded has no text that I can read. Write what the agent should do,"
          + " and paste the text that matters.";

  /// @param attachments of an event; malformed entries and previews of links are skipped
  public static List<SharedMessage> in(JsonNode attachments) {
    return attachments
        .valueStream()
        .filter(it -> it.path("is_share").asBoolean())
        .map(
            it ->
                of(
                    it.path("author_name").textValue(),
                    Optional.ofNullable(it.path("text").textValue())
                        .filter(text -> !text.isBlank())
                        .orElseGet(() -> words(it.path("message_blocks"))),
                    SharedFile.in(it.path("files"))))
        .toList();
  }

  /// The text of blocks, without its formatting.
  private static String words(JsonNode node) {
    if (node.isArray()) {
      return node.valueStream()
          .map(it -> words(it) + (hasParts(it) ? "\n" : ""))
          .collect(Collectors.joining());
    }
    for (var part : List.of("message", "blocks", "elements", "fields", "text")) {
      if (node.path(part).isContainerNode()) {
        return words(node.path(part));
      }
    }
    return node.path("text").asText(node.path("url").asText());
  }

  /// Whether it is a block or a line, and not a piece of a line.
  private static boolean hasParts(JsonNode node) {
    return Stream.of("message", "elements", "fields", "text")
        .anyMatch(it -> node.path(it).isContainerNode());
  }

  /// The SDK does not read `is_share`. Unlike the preview of a link to a message, a forwarded
  /// message has an address that is not in the text.
  public static List<SharedMessage> in(Message message) {
    var text = Objects.requireNonNullElse(message.getText(), "");
    return Optional.ofNullable(message.getAttachments()).stream()
        .flatMap(List::stream)
        .filter(Objects::nonNull)
        .filter(it -> isOfMessage(it) && !text.contains(withoutQuery(it.getFromUrl())))
        .map(it -> of(it.getAuthorName(), it.getText(), SharedFile.of(it.getFiles())))
        .filter(it -> !it.text().isBlank())
        .toList();
  }

  private static boolean isOfMessage(Attachment attachment) {
    return attachment.getFromUrl() != null && attachment.getFromUrl().contains("/archives/");
  }

  private static String withoutQuery(String address) {
    var query = address.indexOf('?');
    return query < 0 ? address : address.substring(0, query);
  }

  private static SharedMessage of(
      @Nullable String author, @Nullable String text, List<SharedFile> files) {
    return new SharedMessage(
        Objects.requireNonNullElse(author, "").replaceAll("[\\s\\p{Cntrl}]+", " ").strip(),
        (Objects.requireNonNullElse(text, "").strip() + "\n" + SharedFile.lines(files)).strip());
  }

  /// A default request for a message that has a forwarded message and no text.
  public static String requestText(String text, List<SharedMessage> shared) {
    return text.isBlank() && !shared.isEmpty() ? LOOK : text;
  }

  /// Appends a quote of the forwarded messages to the text for the agent, if there is anything for
  /// it.
  public static Intent quoting(Intent intent, List<SharedMessage> shared) {
    if (!(intent instanceof Intent.ForAgent words) || shared.isEmpty()) {
      return intent;
    }
    return words.request().text().equals(LOOK)
            && shared.stream().allMatch(it -> it.text().isBlank())
        ? new Intent.Unclear(UNREADABLE)
        : words.with(quoting(words.request(), shared));
  }

  private static Request quoting(Request request, List<SharedMessage> shared) {
    return new Request(
        SlackQuote.join(
            request.text(),
            Truncation.cut(InvisibleCharacters.text(SlackText.plain(lines(shared))), MAX_QUOTE)),
        request.options());
  }

  /// Each message below the name of its author, in Slack's markup.
  public static String lines(List<SharedMessage> shared) {
    return shared.stream()
        .map(
            it -> {
              var text = it.text().isBlank() ? "(no text)" : it.text();
              return it.author().isEmpty() ? text : it.author() + ":\n" + text;
            })
        .collect(Collectors.joining("\n\n"));
  }
}
