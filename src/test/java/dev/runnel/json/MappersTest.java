package dev.runnel.json;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/// Whoever parses what others wrote does it with the limits of [BoundedJson].
@AnalyzeClasses(packages = "dev.runnel", importOptions = DoNotIncludeTests.class)
class MappersTest {
  /// The client is a library of its own; the others read what Runnel itself wrote.
  private static final String OTHERS =
      "dev\\.runnel\\.(json|client)\\..*|dev\\.runnel\\.service\\.run\\.ServiceJson"
          + "|dev\\.runnel\\.store\\.row\\.StoredJson"
          + "|dev\\.runnel\\.app\\.(server\\.RedactingLayout|command\\.RunCommands|data\\.BackupManifest)";

  @ArchTest
  static final ArchRule mappersHaveLimits =
      noClasses()
          .that()
          .haveNameNotMatching(OTHERS)
          .should()
          .callCodeUnitWhere(
              describe("it makes a mapper or a parser without limits", MappersTest::isUnlimited));

  private static boolean isUnlimited(JavaCall<?> call) {
    var owner = call.getTargetOwner();
    return switch (call.getName()) {
      case "<init>" ->
          owner.isEquivalentTo(JsonMapper.class)
              || owner.isEquivalentTo(ObjectMapper.class)
              || owner.isEquivalentTo(JsonFactory.class);
      case "builder" ->
          (owner.isEquivalentTo(JsonMapper.class) || owner.isEquivalentTo(JsonFactory.class));
      default -> false;
    };
  }
}
