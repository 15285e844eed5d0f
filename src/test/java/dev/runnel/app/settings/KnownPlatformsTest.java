package dev.runnel.app.settings;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.port.Surface;
import dev.runnel.surface.PlatformDefinition;
import dev.runnel.surface.Setting;
import dev.runnel.surface.tracker.Tracker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A platform is known by its definition alone.
class KnownPlatformsTest {
  private static final Path PROOFS = Path.of("src/test/resources/proofs/signatures.txt");

  static List<PlatformDefinition> platforms() {
    return KnownPlatforms.ALL;
  }

  @Test
  void everyPackageWithASurfaceIsAKnownPlatform() {
    var packages =
        new ClassFileImporter(List.of(new DoNotIncludeTests()))
            .importPackages("dev.runnel.surface").stream()
                .filter(
                    each ->
                        each.isAssignableTo(Surface.class) || each.isAssignableTo(Tracker.class))
                .map(JavaClass::getPackageName)
                .map(name -> name.substring(name.lastIndexOf('.') + 1))
                .filter(name -> !name.equals("hook") && !name.equals("tracker"))
                .collect(Collectors.toSet());

    assertThat(KnownPlatforms.ALL.stream().map(each -> each.id().value()))
        .containsExactlyInAnyOrderElementsOf(packages);
  }

  @ParameterizedTest
  @MethodSource("platforms")
  void platformIsOffWithoutItsSettings(PlatformDefinition platform) {
    assertThat(platform.configure().apply(Map.of())).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("platforms")
  void aPlatformsSettingsBeginWithItsNameAndAreExplained(PlatformDefinition platform) {
    assertThat(platform.settings())
        .isNotEmpty()
        .allSatisfy(
            each -> {
              assertThat(each.variable()).startsWithIgnoringCase(platform.id() + "_");
              assertThat(each.description()).endsWith(".");
            });
    assertThat(platform.settings()).anyMatch(Setting::isSecret);
  }

  @ParameterizedTest
  @MethodSource("platforms")
  void everyPlatformIsListedInTheProofsAndTheReadme(PlatformDefinition platform) {
    assertThat(lines(PROOFS)).anyMatch(line -> line.startsWith(platform.name()));
    assertThat(lines(Path.of("README.md"))).anyMatch(line -> line.contains(platform.name()));
  }

  @Test
  void hooksAndConsoleFormsHaveWebhookPaths() {
    assertThat(KnownPlatforms.paths())
        .containsEntry("/webhooks/hooks/{hook}", new SurfaceId("hooks"))
        .containsEntry("/webhooks/console", new SurfaceId("console"));
  }

  @Test
  void noTwoSettingsHaveTheSameNameOrPath() {
    var settings = KnownPlatforms.settings();

    assertThat(settings).extracting(Setting::variable).doesNotHaveDuplicates();
    assertThat(settings)
        .flatExtracting(
            each -> Stream.concat(Stream.of(each.path()), each.formerPath().stream()).toList())
        .doesNotHaveDuplicates();
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
