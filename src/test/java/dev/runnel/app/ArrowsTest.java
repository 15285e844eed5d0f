package dev.runnel.app;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.ArrayList;
import java.util.List;

/// The rooms and arrows of ARCHITECTURE.md: what a room may import, and which library lives where.
@AnalyzeClasses(packages = "dev.runnel", importOptions = DoNotIncludeTests.class)
class ArrowsTest {
  private static final String JACKSON = "com.fasterxml.jackson..";
  private static final String JAVALIN = "io.javalin..";
  private static final String OKHTTP = "okhttp3..";

  @ArchTest static final ArchRule wire = room("wire").imports(JACKSON);

  @ArchTest static final ArchRule text = room("text").imports();

  @ArchTest
  static final ArchRule client =
      room("client")
          .imports(
              "dev.runnel.wire", JACKSON, OKHTTP, "okio..", "com.google.errorprone.annotations..");

  @ArchTest
  static final ArchRule service =
      room("service")
          .imports(
              "dev.runnel.service.workspace",
              "dev.runnel.wire",
              "dev.runnel.database",
              "dev.runnel.text",
              JACKSON,
              JAVALIN,
              "com.github.kagkarlsson.scheduler.task.schedule");

  @ArchTest static final ArchRule workspace = room("service.workspace").imports(JACKSON);

  @ArchTest
  static final ArchRule database =
      room("database").imports("com.zaxxer.hikari..", "org.flywaydb..", "org.sqlite..");

  @ArchTest static final ArchRule model = room("core.model").imports();

  @ArchTest static final ArchRule port = room("core.port").imports("dev.runnel.core.model");

  @ArchTest
  static final ArchRule flow =
      room("core.flow").imports("dev.runnel.core.model", "dev.runnel.core.port", "dev.runnel.text");

  @ArchTest
  static final ArchRule runs =
      room("runs").imports("dev.runnel.core..", "dev.runnel.client", "dev.runnel.wire", JACKSON);

  @ArchTest
  static final ArchRule store =
      room("store")
          .imports(
              "dev.runnel.core..",
              "dev.runnel.database",
              JACKSON,
              "com.github.benmanes.caffeine..",
              "com.github.kagkarlsson.scheduler..");

  @ArchTest
  static final ArchRule kit = room("surface.kit").imports("dev.runnel.core..", JACKSON, OKHTTP);

  @ArchTest
  static final ArchRule slack =
      room("surface.slack")
          .imports(
              "dev.runnel.core..", "dev.runnel.surface.kit", JACKSON, OKHTTP, "com.slack.api..");

  @ArchTest
  static final ArchRule github =
      room("surface.github")
          .imports("dev.runnel.core..", "dev.runnel.surface.kit", JACKSON, OKHTTP);

  @ArchTest
  static final ArchRule gitlab =
      room("surface.gitlab")
          .imports("dev.runnel.core..", "dev.runnel.surface.kit", JACKSON, OKHTTP);

  @ArchTest
  static final ArchRule jira =
      room("surface.jira").imports("dev.runnel.core..", "dev.runnel.surface.kit", JACKSON, OKHTTP);

  @ArchTest
  static final ArchRule linear =
      room("surface.linear")
          .imports("dev.runnel.core..", "dev.runnel.surface.kit", JACKSON, OKHTTP);

  @ArchTest
  static final ArchRule gitea =
      room("surface.gitea").imports("dev.runnel.core..", "dev.runnel.surface.kit", JACKSON, OKHTTP);

  @ArchTest
  static final ArchRule hook =
      room("surface.hook").imports("dev.runnel.core..", "dev.runnel.surface.kit", JACKSON, OKHTTP);

  @ArchTest
  static final ArchRule web =
      room("web").imports("dev.runnel.core..", JAVALIN, "jakarta.servlet..", "org.eclipse.jetty..");

  @ArchTest
  static final ArchRule console =
      room("console").imports("dev.runnel.core..", JAVALIN, "gg.jte..", "dev.runnel.console..");

  @ArchTest
  static final ArchRule nobodyImportsTheApp =
      noClasses()
          .that()
          .resideOutsideOfPackage("dev.runnel.app")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("dev.runnel.app");

  @ArchTest
  static final ArchRule noCycles = slices().matching("dev.runnel.(**)").should().beFreeOfCycles();

  private record Room(String name) {
    ArchRule imports(String... others) {
      var allowed =
          new ArrayList<>(
              List.of(
                  "java..",
                  "javax.sql..",
                  "javax.crypto..",
                  "org.jspecify..",
                  "org.slf4j..",
                  "dev.runnel." + name));
      allowed.addAll(List.of(others));
      return classes()
          .that()
          .resideInAPackage("dev.runnel." + name)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(allowed.toArray(String[]::new))
          .allowEmptyShould(true);
    }
  }

  private static Room room(String name) {
    return new Room(name);
  }
}
