package dev.runnel.surface.hook;

import com.fasterxml.jackson.core.JsonPointer;
import dev.runnel.core.model.run.RunOptions;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// One hook of the configuration, received at `/webhooks/hooks/NAME`.
///
/// @param proof how its sender authenticates
/// @param only the conditions that the body must meet, all of them
/// @param cancels the conditions under which the conversation's run is stopped
/// @param prompt builds the prompt for the agent
/// @param title the place of the run's title in the body
/// @param conversation the place of the id that groups deliveries; without it, every delivery is a
///   conversation of its own
/// @param delivery the header, or the place in the body, of the id that a resent delivery repeats;
///   without it, deliveries with the same body are the same
/// @param link the place of the URL of the subject, for people
/// @param options the options of its runs
/// @param callback the URL that receives the run's updates
public record Hook(
    String name,
    HookProof proof,
    List<Condition> only,
    List<Condition> cancels,
    HookPrompt prompt,
    Optional<JsonPointer> title,
    Optional<JsonPointer> conversation,
    Optional<String> delivery,
    Optional<JsonPointer> link,
    RunOptions options,
    Optional<URI> callback) {
  /// Names are part of URLs.
  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9_-]{0,60}");

  /// @param values the accepted values
  public record Condition(JsonPointer at, List<String> values) {
    public Condition {
      values = List.copyOf(values);
    }
  }

  public Hook {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "needs a name of lower-case letters, digits, - and _, because the name is part of a URL");
    }
    only = List.copyOf(only);
    cancels = List.copyOf(cancels);
  }

  /// All places in the body that are read.
  List<JsonPointer> places() {
    var places = new ArrayList<>(prompt.places());
    Stream.of(only, cancels).flatMap(List::stream).map(Condition::at).forEach(places::add);
    Stream.of(title, conversation, link).flatMap(Optional::stream).forEach(places::add);
    delivery.filter(Hook::isPlace).map(Hook::place).ifPresent(places::add);
    if (proof instanceof HookProof.Fresh fresh) {
      places.add(fresh.sentAt());
    }
    places.add(HookCallback.OWN_PLACE);
    return places;
  }

  /// Whether the text is a place in the body and not the name of a header.
  static boolean isPlace(String text) {
    return text.startsWith("/");
  }

  /// Omits all secrets.
  @Override
  public String toString() {
    return "Hook[" + name + "]";
  }

  /// Parses a JSON Pointer to a place in a body, such as `/alert/name`.
  ///
  /// @throws IllegalArgumentException when it is not a JSON Pointer
  public static JsonPointer place(String text) {
    if (text.isEmpty() || text.charAt(0) != '/') {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not a JSON Pointer, such as /alert/name");
    }
    return JsonPointer.compile(text);
  }

  /// Reads `{/action: failed, /branch: [main, next]}`.
  public static List<Condition> conditions(Map<String, List<String>> byPlace) {
    return byPlace.entrySet().stream()
        .map(entry -> new Condition(place(entry.getKey()), entry.getValue()))
        .toList();
  }
}
