package dev.runnel.app.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.surface.Setting;
import dev.runnel.surface.tracker.TrackerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// `docs/settings.md` is made from the settings in the code. To write it anew: `mvn test
/// -Dtest=SettingsReferenceTest -Drunnel.write=true`.
class SettingsReferenceTest {
  private static final Path PAGE = Path.of("docs/settings.md");
  private static final String HEAD =
      """
      # Settings

      Set an environment variable, or the path in `runnel.yaml`; the variable takes precedence. Secrets are marked with 🔒.
      `SLACK_SIGNING_SECRET`, `SLACK_CLIENT_SECRET` and each `…_WEBHOOK_SECRET` may hold several, separated by commas, and all are
      valid. The sections `profiles`, `defaults`, `routes`, `factories`, `hooks`, `policy` (except `installations`) and
      `agents.environments` exist in the file only. The whole file with examples: [examples/runnel.yaml](../examples/runnel.yaml).
      """;

  @Test
  void thePageNamesEverySettingWithItsPurpose() throws IOException {
    var page = page();
    if (Boolean.getBoolean("runnel.write")) {
      Files.writeString(PAGE, page);
    }

    assertThat(Files.readString(PAGE)).isEqualTo(page);
  }

  private static String page() {
    var platforms =
        KnownPlatforms.ALL.stream()
            .map(each -> section(each.name(), each.settings()))
            .collect(Collectors.joining());
    return HEAD
        + section("Runnel", RunnelSettings.ALL.stream().filter(it -> !isOfTrackers(it)).toList())
        + section("All trackers", TrackerSettings.ALL)
        + platforms;
  }

  private static boolean isOfTrackers(Setting setting) {
    return TrackerSettings.ALL.contains(setting);
  }

  private static String section(String title, List<Setting> settings) {
    return "\n## %s\n\n| variable | in the file | default | meaning |\n|---|---|---|---|\n%s\n"
        .formatted(
            title,
            settings.stream().map(SettingsReferenceTest::row).collect(Collectors.joining("\n")));
  }

  private static String row(Setting setting) {
    var purpose = setting.description().replace("|", "\\|");
    var isLong = setting.kind() == Setting.Kind.CHOSEN_SECRET;
    return "| `%s`%s | `%s` | %s | %s%s |"
        .formatted(
            setting.variable(),
            setting.isSecret() ? " 🔒" : "",
            setting.path(),
            setting.defaultValue(),
            purpose,
            isLong ? " At least 16 characters." : "");
  }
}
