package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import dev.runnel.core.port.Surface;
import dev.runnel.surface.tracker.IssueRules;
import dev.runnel.surface.tracker.PullRequestEvent;
import dev.runnel.surface.tracker.Tracker;
import dev.runnel.testkit.AttackContract;
import dev.runnel.testkit.PullRequestContract;
import dev.runnel.testkit.SurfaceContract;
import dev.runnel.testkit.TrackerContract;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// No platform without its contract: see docs/adding-a-tracker.md.
class SurfaceTestsTest {
  private static final JavaClasses ALL =
      new ClassFileImporter().importPackages("dev.runnel.surface");

  @Test
  void everySurfacesTestIsASurfaceContract() {
    var surfaces = surfaces();

    assertThat(surfaces).hasSizeGreaterThan(3);
    assertThat(packagesOf(SurfaceContract.class)).containsAll(surfaces);
  }

  @Test
  void everySurfaceHasAnArchitectureRule() {
    var rooms =
        Arrays.stream(ArrowsTest.class.getDeclaredFields())
            .filter(field -> field.getType().equals(ArchRule.class))
            .map(field -> "dev.runnel.surface." + field.getName())
            .toList();

    assertThat(surfaces())
        .filteredOn(each -> each.startsWith("dev.runnel.surface."))
        .isSubsetOf(rooms);
  }

  @Test
  void everyTrackersTestIsATrackerContract() {
    var trackers = packagesUsing(IssueRules.class);

    assertThat(trackers).hasSizeGreaterThan(2);
    assertThat(packagesOf(TrackerContract.class)).containsAll(trackers);
  }

  @Test
  void everySurfaceWithPullRequestEventsHasAPullRequestContract() {
    var trackers = packagesUsing(PullRequestEvent.class);

    assertThat(trackers).hasSizeGreaterThan(2);
    assertThat(packagesOf(PullRequestContract.class)).containsAll(trackers);
  }

  /// What strangers write goes through every tracker's way of making a prompt.
  @Test
  void everyTrackerHasAnAttackContract() {
    var trackers = packagesOf(TrackerContract.class);

    assertThat(trackers).hasSizeGreaterThan(3);
    assertThat(packagesOf(AttackContract.class)).containsAll(trackers);
  }

  /// The packages of surfaces; a tracker becomes one by `TrackerSurface`.
  private static Set<String> surfaces() {
    return Stream.of(Surface.class, Tracker.class)
        .flatMap(type -> packagesOf(type).stream())
        .filter(each -> !each.equals(Tracker.class.getPackageName()))
        .collect(Collectors.toSet());
  }

  /// The packages of other classes that depend on the type.
  private static Set<String> packagesUsing(Class<?> type) {
    return ALL.stream()
        .filter(each -> !each.getPackageName().equals(type.getPackageName()))
        .filter(
            each ->
                each.getDirectDependenciesFromSelf().stream()
                    .anyMatch(it -> it.getTargetClass().isEquivalentTo(type)))
        .map(JavaClass::getPackageName)
        .collect(Collectors.toSet());
  }

  private static Set<String> packagesOf(Class<?> type) {
    return ALL.stream()
        .filter(each -> each.isAssignableTo(type))
        .map(JavaClass::getPackageName)
        .collect(Collectors.toSet());
  }
}
