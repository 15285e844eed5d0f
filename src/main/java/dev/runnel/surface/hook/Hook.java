package dev.runnel.surface.hook;

import com.fasterxml.jackson.core.JsonPointer;
import dev.runnel.core.model.RunOptions;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// One hook of the configuration, received at `/webhooks/hooks/NAME`.
///
/// @param proof how its sender proves itself
/// @param only what the body must say, all of it, to count
/// @param cancels what the body says when the run of its conversation is to stop
/// @param words what the agent is told
/// @param title where the run's title is
/// @param conversation where the id is of what belongs together; without it, every delivery is a
///     conversation of its own
/// @param delivery the header or the place in the body whose value is the same when the same thing
///     is sent again; without it, the whole body has to be the same
/// @param link where the address of what it is about is, for people
/// @param options how its runs are run
/// @param callback told how the run goes on
public record Hook(
    String name,
    HookProof proof,
    List<Condition> only,
    List<Condition> cancels,
    HookPrompt words,
    Optional<JsonPointer> title,
    Optional<JsonPointer> conversation,
    Optional<String> delivery,
    Optional<JsonPointer> link,
    RunOptions options,
    Optional<URI> callback) {
  /// Names stand in addresses.
  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9_-]{0,60}");

  /// @param values any of which it may be
  public record Condition(JsonPointer at, List<String> values) {
    public Condition {
      values = List.copyOf(values);
    }
  }

  public Hook {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "needs a name of small letters, digits, - and _, because it stands in an address");
    }
    only = List.copyOf(only);
    cancels = List.copyOf(cancels);
  }

  /// Never what is secret.
  @Override
  public String toString() {
    return "Hook[" + name + "]";
  }

  /// Reads a place in a body, such as `/alert/name`.
  ///
  /// @throws IllegalArgumentException when it is no JSON Pointer
  public static JsonPointer place(String text) {
    if (text.isEmpty() || text.charAt(0) != '/') {
      throw new IllegalArgumentException(
          "\"" + text + "\" is no place in a body. It should read like /alert/name");
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
