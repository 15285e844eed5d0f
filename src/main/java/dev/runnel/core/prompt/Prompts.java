package dev.runnel.core.prompt;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.run.Background;
import dev.runnel.core.model.run.LinkedConversation;
import dev.runnel.core.model.run.Prompt;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.scope.ConversationScope;
import dev.runnel.core.scope.Defaults;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Composes a prompt. The request comes first, unchanged byte for byte; the text of third parties
/// follows, labelled and fenced piece by piece; the request is repeated at the end.
public final class Prompts {
  private static final int MAX_TITLE = 80;

  /// Maximum length of a request that is repeated at the end, in characters.
  private static final int MAX_REPEATED = 2_000;

  private static final String CONFIDENTIAL =
      "The request was made in a private conversation, and others can read your work. Quote it"
          + " neither in commits nor in names of branches, in pull requests or in comments. Write"
          + " there only what your changes need.";

  private Prompts() {}

  /// @param linked what the request links to
  /// @param author the person whom the agent names in its commits and pull requests; empty for
  ///   nobody
  /// @param isConfidential whether the request was made in a private conversation, but others can
  ///   read the agent's work
  public static Prompt compose(
      Delivery delivery,
      Defaults.Resolved resolved,
      Background background,
      List<LinkedConversation> linked,
      Optional<Actor.Author> author,
      boolean isConfidential,
      RandomGenerator chance) {
    var request = resolved.request();
    return new Prompt(
        text(request, background, linked, chance),
        request.options().title().orElseGet(() -> title(request, background)),
        request.options(),
        metadata(delivery),
        background.attachments(),
        base(
            Stream.of(
                resolved.basePrompt(),
                author.map(it -> Provenance.instructions(delivery, it, !isConfidential)),
                Optional.of(CONFIDENTIAL).filter(_ -> isConfidential))));
  }

  private static Optional<String> base(Stream<Optional<String>> parts) {
    return Optional.of(parts.flatMap(Optional::stream).collect(Collectors.joining("\n\n")))
        .filter(text -> !text.isEmpty());
  }

  /// The text that follows a follow-up with links or files: the text of third parties, and the
  /// follow-up again.
  public static String linked(
      Request request, Background files, List<LinkedConversation> linked, RandomGenerator chance) {
    return BackgroundFormatter.of(files, linked, chance) + again(request);
  }

  private static String text(
      Request request,
      Background background,
      List<LinkedConversation> linked,
      RandomGenerator chance) {
    var words = request.text() + attached(background);
    return background.kind().isEmpty() && linked.isEmpty()
        ? words
        : words + "\n\n" + BackgroundFormatter.of(background, linked, chance) + again(request);
  }

  /// Repeats the request, because the end of a long prompt has the most weight. It is quoted, so
  /// that a search for the request in the prompt does not match the repetition.
  private static String again(Request request) {
    var words = request.text().strip();
    return words.length() > MAX_REPEATED
        ? "\nThe request is what stands at the very beginning.\n"
        : "\nThe request again:\n"
            + words.lines().map(line -> "> " + line).collect(Collectors.joining("\n"))
            + "\n";
  }

  /// Omits the file names, because they are untrusted text and belong in a fence.
  private static String attached(Background background) {
    var count = background.attachments().size();
    return switch (count) {
      case 0 -> "";
      case 1 -> "\n\nOne file is attached.";
      default -> "\n\n" + count + " files are attached.";
    };
  }

  private static String title(Request request, Background background) {
    var line =
        background
            .title()
            .orElseGet(
                () ->
                    request.text().lines().filter(each -> !each.isBlank()).findFirst().orElse(""));
    return InvisibleCharacters.line(line, MAX_TITLE);
  }

  private static Map<String, String> metadata(Delivery delivery) {
    var metadata = new LinkedHashMap<String, String>();
    metadata.put("runnel.delivery", delivery.id().value());
    put(metadata, "runnel.surface", delivery.conversation().surface().value());
    put(metadata, "runnel.conversation", delivery.conversation().id());
    put(metadata, "runnel.place", ConversationScope.here(delivery.conversation()));
    put(metadata, "runnel.person", delivery.actor().id());
    put(metadata, "runnel.person_name", delivery.actor().name());
    delivery.origin().link().ifPresent(link -> put(metadata, "runnel.link", link.toString()));
    return metadata;
  }

  /// Metadata values have at most 256 bytes; a longer value is omitted, because a truncated one is
  /// useless.
  private static void put(Map<String, String> metadata, String key, String value) {
    if (value.getBytes(StandardCharsets.UTF_8).length <= DeliveryId.MAX_LENGTH) {
      metadata.put(key, value);
    }
  }
}
