package dev.runnel.surface.azure;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.surface.kit.Json;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// A person or another account.
///
/// @param id a GUID; empty if Azure DevOps sends only a text
/// @param uniqueName the sign-in name, in lower case: `dana@fabrikam.example`. Unique in the
///   organization, and people cannot choose it, unlike the display name
/// @param name the display name
/// @param isService whether it is not a person but a service: a build, an app, Azure DevOps itself
record Identity(Optional<String> id, String uniqueName, String name, boolean isService) {
  // The last name in angle brackets: a display name can contain some, too.
  private static final Pattern TEXT = Pattern.compile("^(?<name>.*) <(?<unique>[^<>]+)>");
  // A descriptor begins with the kind of account; see
  // https://learn.microsoft.com/rest/api/azure/devops/graph
  private static final Pattern SERVICE = Pattern.compile("(svc|s2s|aadsp)\\..+");
  private static final Pattern UNIQUE_NAME = Pattern.compile("[\\p{L}\\p{N}\\p{M}!-;=?-~]{1,256}");

  /// @param identity an object, or a text: `Dana <dana@fabrikam.example>`
  /// @return empty for a display name alone
  static Optional<Identity> of(JsonNode identity) {
    if (identity.isTextual()) {
      var text = TEXT.matcher(identity.textValue().strip());
      return text.matches()
          ? of(Optional.empty(), text.group("unique"), text.group("name"), false)
          : Optional.empty();
    }
    var service = Json.text(identity, "descriptor").filter(it -> SERVICE.matcher(it).matches());
    // Some services have no unique name.
    return Json.text(identity, "uniqueName")
        .or(() -> service)
        .flatMap(
            unique ->
                of(
                    Json.text(identity, "id"),
                    unique,
                    Json.text(identity, "displayName").orElse(unique),
                    service.isPresent()));
  }

  private static Optional<Identity> of(
      Optional<String> id, String unique, String name, boolean isService) {
    return UNIQUE_NAME.matcher(unique).matches()
        ? Optional.of(new Identity(id, key(unique), name.isBlank() ? unique : name, isService))
        : Optional.empty();
  }

  /// A name to compare, because Azure DevOps ignores case.
  static String key(String uniqueName) {
    return uniqueName.toLowerCase(Locale.ROOT);
  }

  Actor actor() {
    return new Actor(uniqueName, name);
  }
}
