package dev.runnel.core.prompt;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Actor;
import java.util.Optional;
import java.util.regex.Pattern;

/// Instructions to name the requester in commits and pull requests. Pure.
final class Provenance {
  private static final int MAX_NAME = 80;
  private static final int MAX_ADDRESS = 254;

  /// The characters to remove from a name. People choose their names, which must not look like an
  /// instruction or like markup.
  private static final Pattern NOT_IN_NAMES = Pattern.compile("[^\\p{L}\\p{M}\\p{N} .,'’_-]");

  private static final Pattern ADDRESS = Pattern.compile("^[A-Za-z0-9._%+\\[\\]-]+@[A-Za-z0-9.-]+");

  private Provenance() {}

  /// @param author the requester, as the platform knows them
  /// @param linksBack whether a pull request may link to the conversation
  static String instructions(Delivery delivery, Actor.Author author, boolean linksBack) {
    var name = name(author.name()).or(() -> name(delivery.actor().id())).orElse("Somebody");
    var where =
        delivery.origin().link().filter(_ -> linksBack).map(link -> " in " + link).orElse("");
    var pullRequest =
        "If you open a pull request, end its description with this line:\nAsked by %s%s"
            .formatted(name, where);
    return author
        .email()
        .filter(it -> it.length() <= MAX_ADDRESS && ADDRESS.matcher(it).matches())
        .map(
            email ->
                "End the message of each commit that you make with an empty line and this line:\n"
                    + "Co-authored-by: %s <%s>\n\n".formatted(name, email)
                    + pullRequest)
        .orElse(pullRequest);
  }

  private static Optional<String> name(String text) {
    return Optional.of(
            NOT_IN_NAMES
                .matcher(InvisibleCharacters.line(text, MAX_NAME))
                .replaceAll("")
                .replaceAll(" +", " ")
                .strip())
        .filter(name -> !name.isEmpty());
  }
}
