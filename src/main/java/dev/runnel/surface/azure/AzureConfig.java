package dev.runnel.surface.azure;

import dev.runnel.surface.kit.SettingValues;
import dev.runnel.surface.tracker.TrackerSettings;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The settings of the Azure DevOps surface.
///
/// @param webhookSecrets the passwords of the service hooks, all valid at once, so that they can be
///   rotated without an outage
/// @param token a personal access token of the account that posts comments
/// @param url the base URL of the organization, without a trailing slash
/// @param access the sign-in names, in lower case, of the people who may start and steer runs;
///   empty for the members of the project's teams
/// @param closedStates the states, in lower case, that end the work on an item
public record AzureConfig(
    List<String> webhookSecrets,
    String token,
    URI url,
    Set<String> access,
    Set<String> closedStates,
    TrackerSettings tracker) {
  static final String SECRET = "AZURE_DEVOPS_WEBHOOK_SECRET";
  static final String TOKEN = "AZURE_DEVOPS_TOKEN";
  static final String URL = "AZURE_DEVOPS_URL";
  static final String ACCESS = "AZURE_DEVOPS_ACCESS";
  static final String CLOSED_STATES = "AZURE_DEVOPS_CLOSED_STATES";

  /// The names that Microsoft's processes give to states of the categories Completed and Removed.
  static final List<String> CLOSED = List.of("Closed", "Done", "Completed", "Removed");

  private static final String EXAMPLE = "https://dev.azure.com/fabrikam";

  public AzureConfig {
    webhookSecrets = List.copyOf(webhookSecrets);
    access = lowerCase(access.stream());
    closedStates = lowerCase(closedStates.stream());
  }

  private static Set<String> lowerCase(Stream<String> words) {
    return words.map(word -> word.toLowerCase(Locale.ROOT)).collect(Collectors.toUnmodifiableSet());
  }

  /// Reads the settings by variable name.
  ///
  /// @return empty when none of the required three is set
  /// @throws IllegalArgumentException with the setting's name and what is missing
  public static Optional<AzureConfig> from(Map<String, String> settings) {
    var values = new SettingValues(settings);
    var closed = values.list(CLOSED_STATES);
    return values.areAllSet(SECRET, TOKEN, URL)
        ? Optional.of(
            new AzureConfig(
                values.secrets(SECRET),
                values.token(TOKEN),
                values.address(URL, EXAMPLE),
                Set.copyOf(values.list(ACCESS)),
                Set.copyOf(closed.isEmpty() ? CLOSED : closed),
                TrackerSettings.from(settings)))
        : Optional.empty();
  }

  @Override
  public String toString() {
    return "AzureConfig[url=%s, tracker=%s, secrets withheld]".formatted(url, tracker);
  }
}
