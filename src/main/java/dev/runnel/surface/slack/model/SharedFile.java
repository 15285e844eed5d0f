package dev.runnel.surface.slack.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.slack.api.model.File;
import com.slack.api.model.Message;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.run.Request;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A file shared in a message.
///
/// @param type the media type
/// @param size in bytes, as reported by Slack
/// @param source the download URL, which requires the token
/// @param link the URL for people
public record SharedFile(
    String name, String type, long size, Optional<URI> source, Optional<URI> link) {
  private static final String NAMED = "[Attached file: ";

  /// The media types that the run service accepts.
  private static final Set<String> IMAGES =
      Set.of("image/jpeg", "image/png", "image/gif", "image/webp");

  private static final Set<String> TEXTS =
      Set.of(
          "application/csv",
          "application/json",
          "application/x-ndjson",
          "application/x-sh",
          "application/x-yaml",
          "application/xml",
          "application/yaml");

  public static List<SharedFile> in(Message message) {
    return of(message.getFiles());
  }

  static List<SharedFile> of(@Nullable List<File> files) {
    return Optional.ofNullable(files).stream()
        .flatMap(List::stream)
        .filter(Objects::nonNull)
        .map(SharedFile::of)
        .filter(it -> !it.name().isBlank())
        .toList();
  }

  private static SharedFile of(File file) {
    return of(
        file.getName(),
        file.getMimetype(),
        Objects.requireNonNullElse(file.getSize(), 0),
        file.getUrlPrivate(),
        file.getPermalink());
  }

  /// @param files of an event; malformed entries are skipped
  public static List<SharedFile> in(JsonNode files) {
    return files
        .valueStream()
        .filter(JsonNode::isObject)
        .map(
            it ->
                of(
                    it.path("name").textValue(),
                    it.path("mimetype").textValue(),
                    it.path("size").asLong(),
                    it.path("url_private").textValue(),
                    it.path("permalink").textValue()))
        .filter(it -> !it.name().isBlank())
        .toList();
  }

  private static SharedFile of(
      @Nullable String name,
      @Nullable String type,
      long size,
      @Nullable String source,
      @Nullable String link) {
    return new SharedFile(
        Objects.requireNonNullElse(name, "").replaceAll("[\\s\\p{Cntrl}\\[\\]]+", " ").strip(),
        Objects.requireNonNullElse(type, ""),
        size,
        address(source),
        address(link));
  }

  private static Optional<URI> address(@Nullable String text) {
    try {
      return Optional.ofNullable(text).map(URI::create).filter(it -> it.getHost() != null);
    } catch (IllegalArgumentException odd) {
      return Optional.empty();
    }
  }

  public boolean isImage() {
    return IMAGES.contains(type);
  }

  /// Whether the media type is text; Slack treats source code, logs and CSV as text. Not HTML,
  /// because Slack may respond with a page if the token has no access to the file.
  public boolean isText() {
    return (type.startsWith("text/") && !type.equals("text/html")) || TEXTS.contains(type);
  }

  /// `[Attached file: error.png, image/png, 34 KB, https://acme.slack.com/files/…]`
  String line() {
    var facts = new ArrayList<String>();
    facts.add(name);
    if (!type.isBlank()) {
      facts.add(type);
    }
    if (size > 0) {
      facts.add(size < 1024 * 1024 ? (size + 1023) / 1024 + " KB" : size / (1024 * 1024) + " MB");
    }
    link.ifPresent(it -> facts.add(it.toString()));
    return NAMED + String.join(", ", facts) + "]";
  }

  public static String lines(List<SharedFile> files) {
    return files.stream().map(SharedFile::line).collect(Collectors.joining("\n"));
  }

  /// A default request for a message that has files and no text.
  public static String requestText(String text, List<SharedFile> files) {
    return text.isBlank() && !files.isEmpty() ? "Look at the attached file." : text;
  }

  /// Appends the names of the files to the text for the agent.
  public static Intent naming(Intent intent, List<SharedFile> files) {
    return intent instanceof Intent.ForAgent words && !files.isEmpty()
        ? words.with(naming(words.request(), files))
        : intent;
  }

  private static Request naming(Request request, List<SharedFile> files) {
    return new Request(request.text() + "\n\n" + lines(files), request.options());
  }

  /// Whether the request has files of its own. A quoted message may contain any text.
  public static boolean areNamedIn(Request request) {
    return SlackQuote.requestOf(request.text()).contains(NAMED);
  }
}
