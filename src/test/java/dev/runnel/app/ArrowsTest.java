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
/// No two packages import each other, also not by way of others.
@AnalyzeClasses(packages = "dev.runnel", importOptions = DoNotIncludeTests.class)
class ArrowsTest {
  private static final String COMMONMARK = "org.commonmark..";
  private static final String JACKSON = "com.fasterxml.jackson..";
  private static final String JAVALIN = "io.javalin..";
  private static final String JSOUP = "org.jsoup..";
  private static final String OKHTTP = "okhttp3..";
  private static final String SLACK_SDK = "com.slack.api..";

  /// What trackers share.
  private static final String TRACKER_KIT = "dev.runnel.surface.[kit|markdown|tracker]";

  /// What platforms may see of the core.
  private static final String CORE = "dev.runnel.core.[model|model.*|port|command|text|prompt]";

  /// What everything that runs on a server may use.
  private static final List<String> FLOOR =
      List.of("dev.runnel.json", "dev.runnel.memory", "dev.runnel.threads");

  // What generates builders is for the compiler only.
  @ArchTest
  static final ArchRule wire =
      room("wire").imports(JACKSON, "io.soabase.recordbuilder.core", "javax.lang.model.element");

  @ArchTest static final ArchRule text = room("text").imports();

  @ArchTest static final ArchRule json = room("json").imports("dev.runnel.memory", JACKSON);

  @ArchTest static final ArchRule memory = room("memory").imports();

  @ArchTest static final ArchRule threads = room("threads").imports();

  @ArchTest
  static final ArchRule client =
      room("client")
          .imports(
              "dev.runnel.wire", JACKSON, OKHTTP, "okio..", "com.google.errorprone.annotations..");

  @ArchTest
  static final ArchRule service =
      room("service")
          .imports(
              "dev.runnel.service.[run|run.*|store|agent|isolation|egress|process|cleanup|execution|http|workspace]",
              "dev.runnel.database",
              "dev.runnel.text",
              "dev.runnel.wire",
              JAVALIN);

  @ArchTest
  static final ArchRule serviceRun =
      room("service.run")
          .imports(
              "dev.runnel.service.run.limit",
              "dev.runnel.database",
              "dev.runnel.text",
              "dev.runnel.wire",
              JACKSON,
              JAVALIN);

  @ArchTest
  static final ArchRule serviceRunLimit = room("service.run.limit").imports("dev.runnel.text");

  @ArchTest
  static final ArchRule serviceStore =
      room("service.store")
          .imports(
              "dev.runnel.service.[run|run.*|store.query]",
              "dev.runnel.database",
              "dev.runnel.text",
              "dev.runnel.wire",
              JACKSON,
              "com.github.kagkarlsson.scheduler.task.schedule");

  @ArchTest
  static final ArchRule serviceStoreQuery =
      room("service.store.query")
          .imports(
              "dev.runnel.service.[run|run.*]", "dev.runnel.database", "dev.runnel.wire", JACKSON);

  @ArchTest
  static final ArchRule agent =
      room("service.agent")
          .imports(
              "dev.runnel.service.[run|workspace]", "dev.runnel.text", "dev.runnel.wire", JACKSON);

  @ArchTest static final ArchRule egress = room("service.egress").imports("javax.net.ssl..");

  @ArchTest
  static final ArchRule isolation =
      room("service.isolation").imports("dev.runnel.service.[run|workspace|egress]");

  @ArchTest
  static final ArchRule kubernetes =
      room("service.kubernetes")
          .imports("dev.runnel.service.[run|run.*|workspace|isolation]", "io.fabric8.kubernetes..");

  /// So that the Kubernetes client is loaded only where the settings ask for it.
  @ArchTest
  static final ArchRule oneWayToKubernetes =
      noClasses()
          .that()
          .resideOutsideOfPackage("dev.runnel.service.kubernetes")
          .and()
          .doNotHaveFullyQualifiedName("dev.runnel.app.server.KubernetesChoice")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("dev.runnel.service.kubernetes");

  @ArchTest
  static final ArchRule process =
      room("service.process").imports("dev.runnel.service.[run|run.*|store|isolation|workspace]");

  @ArchTest
  static final ArchRule output =
      room("service.output")
          .imports(
              "dev.runnel.service.[run|run.*|store|agent|isolation|process|workspace]",
              "dev.runnel.database",
              "dev.runnel.text",
              "dev.runnel.wire",
              JACKSON);

  @ArchTest
  static final ArchRule cleanup =
      room("service.cleanup")
          .imports("dev.runnel.service.[run|run.*|store|process|workspace]", "dev.runnel.database");

  @ArchTest
  static final ArchRule execution =
      room("service.execution")
          .imports(
              "dev.runnel.service.[run|run.*|store|agent|isolation|process|egress|workspace|output|cleanup]",
              "dev.runnel.database",
              "dev.runnel.text",
              "dev.runnel.wire",
              JACKSON);

  @ArchTest
  static final ArchRule http =
      room("service.http")
          .imports(
              "dev.runnel.service.[run|run.*|store|store.query|agent|isolation|execution|workspace]",
              "dev.runnel.database",
              "dev.runnel.text",
              "dev.runnel.wire",
              JACKSON,
              JAVALIN);

  @ArchTest
  static final ArchRule workspace =
      room("service.workspace").imports("dev.runnel.service.egress", "dev.runnel.text", JACKSON);

  @ArchTest
  static final ArchRule database =
      room("database").imports("com.zaxxer.hikari..", "org.flywaydb..", "org.sqlite..");

  @ArchTest
  static final ArchRule model =
      room("core.model").imports("dev.runnel.core.model.[conversation|run]");

  @ArchTest
  static final ArchRule modelRun =
      room("core.model.run").imports("dev.runnel.core.model.conversation");

  @ArchTest static final ArchRule modelConversation = room("core.model.conversation").imports();

  @ArchTest
  static final ArchRule policy = room("core.policy").imports("dev.runnel.core.model.conversation");

  @ArchTest
  static final ArchRule port = room("core.port").imports("dev.runnel.core.[model|model.*]");

  @ArchTest
  static final ArchRule scope = room("core.scope").imports("dev.runnel.core.[model|model.*|port]");

  @ArchTest
  static final ArchRule command =
      room("core.command").imports("dev.runnel.core.[model|model.*|scope]");

  @ArchTest
  static final ArchRule sentences =
      room("core.text").imports("dev.runnel.core.[model|model.*|port|scope|command|policy]");

  @ArchTest
  static final ArchRule prompt =
      room("core.prompt").imports("dev.runnel.core.[model|model.*|scope]", "dev.runnel.text");

  @ArchTest
  static final ArchRule decide =
      room("core.decide").imports("dev.runnel.core.[model|model.*|port|scope|command|text]");

  @ArchTest
  static final ArchRule recovery =
      room("core.recovery").imports("dev.runnel.core.[model|model.*|port|scope]");

  @ArchTest
  static final ArchRule redact =
      room("core.redact").imports("dev.runnel.core.[model|model.*|port]", "dev.runnel.text");

  @ArchTest
  static final ArchRule watch =
      room("core.watch")
          .imports("dev.runnel.core.[model|model.*|port|scope|command|text|decide|recovery]");

  @ArchTest
  static final ArchRule deliver =
      room("core.deliver")
          .imports("dev.runnel.core.[model|model.*|port|scope|command|text|decide|recovery]");

  @ArchTest
  static final ArchRule dispatch =
      room("core.dispatch")
          .imports(
              "dev.runnel.core.[model|model.*|port|scope|command|text|decide|recovery|prompt|policy]",
              "dev.runnel.text");

  @ArchTest
  static final ArchRule runs =
      room("runs").imports("dev.runnel.core..", "dev.runnel.client", "dev.runnel.wire", JACKSON);

  @ArchTest
  static final ArchRule store =
      room("store")
          .imports(
              "dev.runnel.store.[row|audit]",
              "dev.runnel.core..",
              "dev.runnel.database",
              "dev.runnel.text",
              JACKSON,
              "com.github.benmanes.caffeine..",
              "com.github.kagkarlsson.scheduler..");

  @ArchTest
  static final ArchRule storeRow =
      room("store.row")
          .imports("dev.runnel.core.[model|model.*|port]", "dev.runnel.database", JACKSON);

  @ArchTest
  static final ArchRule storeAudit =
      room("store.audit")
          .imports(
              "dev.runnel.core.[model|model.*|port]",
              "dev.runnel.database",
              "dev.runnel.store.row",
              "dev.runnel.text",
              JACKSON);

  @ArchTest static final ArchRule surface = room("surface").imports(CORE, OKHTTP);

  @ArchTest
  static final ArchRule kit =
      room("surface.kit")
          .imports(
              CORE,
              "dev.runnel.surface",
              "com.github.benmanes.caffeine..",
              JACKSON,
              OKHTTP,
              // OkHttp's bodies are read with it.
              "okio..");

  @ArchTest
  static final ArchRule markdown =
      room("surface.markdown")
          .imports(CORE, "dev.runnel.surface.kit", "dev.runnel.text", COMMONMARK, JSOUP);

  @ArchTest
  static final ArchRule tracker =
      room("surface.tracker")
          .imports(CORE, "dev.runnel.surface", TRACKER_KIT, "dev.runnel.text", JACKSON, OKHTTP);

  @ArchTest
  static final ArchRule slack =
      room("surface.slack")
          .imports(
              "dev.runnel.surface.slack.[model|render|api|receive|install|post|read]",
              CORE,
              "dev.runnel.surface",
              "dev.runnel.surface.kit",
              OKHTTP);

  @ArchTest
  static final ArchRule slackModel =
      room("surface.slack.model")
          .imports(
              CORE,
              "dev.runnel.surface",
              "dev.runnel.surface.kit",
              "dev.runnel.text",
              JACKSON,
              SLACK_SDK);

  @ArchTest
  static final ArchRule slackRender =
      room("surface.slack.render")
          .imports(
              "dev.runnel.surface.slack.model",
              CORE,
              "dev.runnel.text",
              "dev.runnel.surface.[kit|markdown]",
              SLACK_SDK,
              COMMONMARK);

  @ArchTest
  static final ArchRule slackApi =
      room("surface.slack.api")
          .imports(
              "dev.runnel.surface.slack.model",
              CORE,
              "dev.runnel.surface.kit",
              JACKSON,
              OKHTTP,
              SLACK_SDK);

  @ArchTest
  static final ArchRule slackReceive =
      room("surface.slack.receive")
          .imports(
              "dev.runnel.surface.slack.[model|render|api]",
              CORE,
              "dev.runnel.core.scope",
              "dev.runnel.surface.kit",
              "dev.runnel.text",
              JACKSON,
              OKHTTP,
              SLACK_SDK);

  @ArchTest
  static final ArchRule slackInstall =
      room("surface.slack.install")
          .imports(
              "dev.runnel.surface.slack.[model|render|api]",
              CORE,
              "dev.runnel.surface",
              "dev.runnel.surface.kit",
              JACKSON,
              SLACK_SDK);

  @ArchTest
  static final ArchRule slackPost =
      room("surface.slack.post")
          .imports(
              "dev.runnel.surface.slack.[model|render|api|receive|install]",
              CORE,
              "dev.runnel.surface.kit",
              JACKSON,
              SLACK_SDK);

  @ArchTest
  static final ArchRule slackRead =
      room("surface.slack.read")
          .imports(
              "dev.runnel.surface.slack.[model|render|api|receive|install]",
              CORE,
              "dev.runnel.surface.kit",
              "dev.runnel.text",
              JACKSON,
              SLACK_SDK);

  @ArchTest
  static final ArchRule github =
      room("surface.github").imports(CORE, "dev.runnel.surface", TRACKER_KIT, JACKSON, OKHTTP);

  @ArchTest
  static final ArchRule gitlab =
      room("surface.gitlab")
          .imports(CORE, "dev.runnel.surface", TRACKER_KIT, "dev.runnel.text", JACKSON, OKHTTP);

  @ArchTest
  static final ArchRule jira =
      room("surface.jira")
          .imports(
              CORE,
              "dev.runnel.surface",
              TRACKER_KIT,
              "dev.runnel.text",
              JACKSON,
              OKHTTP,
              COMMONMARK);

  @ArchTest
  static final ArchRule linear =
      room("surface.linear")
          .imports(CORE, "dev.runnel.surface", TRACKER_KIT, "dev.runnel.text", JACKSON, OKHTTP);

  @ArchTest
  static final ArchRule gitea =
      room("surface.gitea").imports(CORE, "dev.runnel.surface", TRACKER_KIT, JACKSON, OKHTTP);

  @ArchTest
  static final ArchRule azure =
      room("surface.azure")
          .imports(CORE, "dev.runnel.surface", TRACKER_KIT, "dev.runnel.text", JACKSON, OKHTTP);

  @ArchTest
  static final ArchRule hook =
      room("surface.hook")
          .imports(CORE, "dev.runnel.surface.kit", "dev.runnel.text", JACKSON, OKHTTP);

  @ArchTest
  static final ArchRule web =
      room("web").imports("dev.runnel.core..", JAVALIN, "jakarta.servlet..", "org.eclipse.jetty..");

  @ArchTest
  static final ArchRule metrics =
      room("metrics")
          .imports(
              "dev.runnel.core.[model|model.*|port]",
              "dev.runnel.database",
              "dev.runnel.service",
              "dev.runnel.service.run",
              "dev.runnel.web",
              "io.micrometer..",
              OKHTTP);

  /// So that only this package knows OpenTelemetry.
  @ArchTest
  static final ArchRule tracing =
      room("tracing").imports("dev.runnel.core.[model|model.*|port]", "io.opentelemetry..");

  @ArchTest
  static final ArchRule consoleMarkup =
      room("console.markup").imports("dev.runnel.text", COMMONMARK);

  @ArchTest
  static final ArchRule consoleTranscript =
      room("console.transcript").imports("dev.runnel.core.[model|model.*]", "dev.runnel.text");

  @ArchTest
  static final ArchRule consoleDetail =
      room("console.detail").imports("dev.runnel.core.[model|model.*|port|text]");

  @ArchTest
  static final ArchRule signIn =
      room("signin").imports("dev.runnel.core.[model|model.*|port]", JACKSON, OKHTTP);

  @ArchTest
  static final ArchRule consoleAccess =
      room("console.access")
          .imports("dev.runnel.core.[model|model.*|port|policy|command]", JAVALIN);

  @ArchTest
  static final ArchRule consoleView =
      room("console.view").imports("dev.runnel.core..", "gg.jte..", "dev.runnel.console..");

  @ArchTest
  static final ArchRule consoleNumbers =
      room("console.numbers").imports("dev.runnel.core.[model|model.*|port|policy]");

  @ArchTest
  static final ArchRule consoleOperation =
      room("console.operation").imports("dev.runnel.core.[model|model.*|port|policy]");

  @ArchTest
  static final ArchRule console =
      room("console")
          // Javalin compresses what its own streams send, so events need the servlet's.
          .imports(
              "dev.runnel.core..",
              JAVALIN,
              "jakarta.servlet..",
              "gg.jte..",
              "dev.runnel.console..");

  @ArchTest
  static final ArchRule nobodyImportsTheApp =
      noClasses()
          .that()
          .resideOutsideOfPackage("dev.runnel.app..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("dev.runnel.app..");

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
      if (!name.matches("(wire|text|client|json|memory|threads|core)(\\..*)?")) {
        allowed.addAll(FLOOR);
      }
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
