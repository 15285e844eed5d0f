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
import org.jspecify.annotations.Nullable;

/// A message that a user forwarded with another message. Its author may be a stranger, so the agent
/// gets its text only as a quote, and no command is read from it.
///
/// @param author the display name; may be blank
/// @param text in Slack's markup
public record SharedMessage(String author, String text) {
  /// In characters, of all forwarded messages of a message together.
  private static final int MAX_QUOTE = 6_000;

  /// @param attachments of an event; malformed entries and previews of links are skipped
  public static List<SharedMessage> in(JsonNode attachments) {
    return attachments
        .valueStream()
        .filter(it -> it.path("is_share").asBoolean())
        .map(it -> of(it.path("author_name").textValue(), it.path("text").textValue()))
        .filter(it -> !it.text().isBlank())
        .toList();
  }

  /// The SDK does not read `is_share`. Unlike the preview of a link to a message, a forwarded
  /// message has an address that is not in the text.
  public static List<SharedMessage> in(Message message) {
    var text = Objects.requireNonNullElse(message.getText(), "");
    return Optional.ofNullable(message.getAttachments()).stream()
        .flatMap(List::stream)
        .filter(Objects::nonNull)
        .filter(it -> isOfMessage(it) && !text.contains(withoutQuery(it.getFromUrl())))
        .map(it -> of(it.getAuthorName(), it.getText()))
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

  private static SharedMessage of(@Nullable String author, @Nullable String text) {
    return new SharedMessage(
        Objects.requireNonNullElse(author, "").replaceAll("[\\s\\p{Cntrl}]+", " ").strip(),
        Objects.requireNonNullElse(text, "").strip());
  }

  /// A default request for a message that has a forwarded message and no text.
  public static String requestText(String text, List<SharedMessage> shared) {
    return text.isBlank() && !shared.isEmpty() ? "Look at the forwarded message." : text;
  }

  /// Appends a quote of the forwarded messages to the text for the agent.
  public static Intent quoting(Intent intent, List<SharedMessage> shared) {
    return intent instanceof Intent.ForAgent words && !shared.isEmpty()
        ? words.with(quoting(words.request(), shared))
        : intent;
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
        .map(it -> it.author().isEmpty() ? it.text() : it.author() + ":\n" + it.text())
        .collect(Collectors.joining("\n\n"));
  }
}
