package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.runnel.app.server.KubernetesChoice;
import dev.runnel.app.settings.KnownPlatforms;
import dev.runnel.service.run.limit.Limits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The files in `deploy/`: what they promise stands in them, and the programs that read them do.
class DeployTest {
  private static final Path DEPLOY = Path.of("deploy");
  private static final Path ALERTS = Path.of("examples/monitoring/alerts.yml");
  private static final int SECONDS_TO_STOP = 30;
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final Pattern SETTING = Pattern.compile("\\bRUNNEL_[A-Z_]+");

  @TempDir Path folder;

  @Test
  void deployFilesSetOnlyExistingSettings() throws IOException {
    var known = KnownPlatforms.settings().stream().map(setting -> setting.variable()).toList();
    try (var files = Files.walk(DEPLOY)) {
      for (var file : files.filter(Files::isRegularFile).toList()) {
        assertThat(SETTING.matcher(Files.readString(file)).results().map(it -> it.group()))
            .as(file.toString())
            // The name of the file is no setting in it, and the launcher reads the size of the
            // heap.
            .allMatch(
                name ->
                    known.contains(name)
                        || name.equals("RUNNEL_CONFIG")
                        || name.equals("RUNNEL_HEAP"));
      }
    }
  }

  @Test
  void composeExposesOnlyTheProxy() throws IOException {
    var services = YAML.readTree(DEPLOY.resolve("compose.yaml").toFile()).path("services");

    assertThat(services.path("database").path("ports")).isEmpty();
    assertThat(services.path("runnel").path("ports"))
        .allSatisfy(port -> assertThat(port.asText()).startsWith("127.0.0.1:"));
    assertThat(Files.readString(DEPLOY.resolve("Caddyfile")))
        .contains("runnel:8080")
        .doesNotContain("9090");
    assertThat(services)
        .allSatisfy(
            service -> assertThat(service.path("restart").asText()).isEqualTo("unless-stopped"));
    assertThat(services.path("runnel").path("cap_drop").path(0).asText()).isEqualTo("ALL");
  }

  /// `sh` knows no `/dev/tcp` in Debian.
  @Test
  void composeHealthChecksNeedOnlySh() throws IOException {
    assertThat(YAML.readTree(DEPLOY.resolve("compose.yaml").toFile()).findValues("healthcheck"))
        .noneMatch(check -> check.path("test").toString().contains("/dev/tcp"));
  }

  @Test
  void noSecretIsInAFile() throws IOException {
    assertThat(Files.readAllLines(DEPLOY.resolve("example.env")))
        .filteredOn(line -> !line.startsWith("#"))
        .allMatch(line -> line.endsWith("="));
  }

  @Test
  void theDeploymentHasReplicasProbesAndNoPrivileges() throws IOException {
    var spec = one("deployment.yaml").path("spec");
    var pod = spec.path("template").path("spec");
    var container = pod.path("containers").path(0);

    assertThat(spec.path("replicas").asInt()).isEqualTo(2);
    assertThat(spec.at("/strategy/rollingUpdate/maxUnavailable").asInt(-1)).isZero();
    assertThat(container.at("/livenessProbe/httpGet/path").asText()).isEqualTo("/healthz");
    assertThat(container.at("/readinessProbe/httpGet/path").asText())
        .isEqualTo("/readyz/deliveries");
    assertThat(container.at("/startupProbe/httpGet/path").asText()).isEqualTo("/healthz");
    assertThat(container.at("/securityContext/allowPrivilegeEscalation").asBoolean(true)).isFalse();
    assertThat(container.at("/securityContext/capabilities/drop/0").asText()).isEqualTo("ALL");
    assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
    assertThat(pod.path("automountServiceAccountToken").asBoolean(true)).isFalse();
    assertThat(one("poddisruptionbudget.yaml").at("/spec/minAvailable").asInt()).isOne();
    assertThat(one("servicemonitor.yaml").at("/spec/endpoints/0/path").asText())
        .isEqualTo("/metrics");
  }

  /// Kubernetes ends a pod and tells the proxies at the same time; the proxies need some seconds,
  /// and do not repeat a POST that gets a 503.
  @Test
  void terminatingPodAcceptsDeliveriesUntilProxiesAreUpdated() throws IOException {
    var pod = one("deployment.yaml").at("/spec/template/spec");
    var sleep = pod.at("/containers/0/lifecycle/preStop/sleep/seconds").asInt();

    assertThat(sleep).isGreaterThanOrEqualTo(10);
    // The time of the sleep counts, too.
    assertThat(pod.path("terminationGracePeriodSeconds").asInt())
        .isGreaterThanOrEqualTo(sleep + (int) Limits.DEFAULT.drain().toSeconds() + SECONDS_TO_STOP);
  }

  /// `kubectl exec … runnel check` gets no arguments of the container.
  @Test
  void commandsInAPodHaveTheSettingsOfTheServer() throws IOException {
    var container = one("deployment.yaml").at("/spec/template/spec/containers/0");

    assertThat(container.path("args").toString()).doesNotContain("--config");
    assertThat(container.path("env").toString())
        .contains("{\"name\":\"RUNNEL_CONFIG\",\"value\":\"/etc/runnel/runnel.yaml\"}");
    assertThat(container.path("volumeMounts").toString()).contains("\"mountPath\":\"/etc/runnel\"");
  }

  /// Agents set their own score higher.
  @Test
  void serverIsTheLastThatTheKernelEndsForMemory() throws IOException {
    var compose = YAML.readTree(DEPLOY.resolve("compose.yaml").toFile());

    assertThat(compose.at("/services/runnel/oom_score_adj").asInt()).isEqualTo(-500);
    assertThat(Files.readAllLines(DEPLOY.resolve("systemd/runnel.service")))
        .contains("OOMScoreAdjust=-500");
  }

  /// Each connection is a file, and Runnel keeps 512 for itself.
  @Test
  void serverMayHaveTenThousandConnections() throws IOException {
    var compose = YAML.readTree(DEPLOY.resolve("compose.yaml").toFile());

    assertThat(compose.at("/services/runnel/ulimits/nofile").asInt()).isGreaterThan(10_512);
    assertThat(Files.readAllLines(DEPLOY.resolve("systemd/runnel.service")))
        .contains("LimitNOFILE=16384");
  }

  @Test
  void installationGuideNamesOnlyExistingFiles() throws IOException {
    var guide = Files.readString(Path.of("docs/install.md"));

    assertThat(
            Pattern.compile("\\b(?:deploy|scripts|examples)/[\\w./-]*\\w").matcher(guide).results())
        .isNotEmpty()
        .extracting(it -> it.group())
        .filteredOn(name -> !name.equals("deploy/.env"))
        .allMatch(name -> Files.exists(Path.of(name)));
  }

  @Test
  void thePolicyOpensTheAdminPortToTheMonitoringOnly() throws IOException {
    var spec = one("networkpolicy.yaml").path("spec");

    for (var rule : spec.path("ingress")) {
      if (rule.toString().contains("\"admin\"")) {
        assertThat(rule.path("from").toString()).contains("monitoring");
      }
    }
    assertThat(spec.path("egress").toString()).contains("169.254.0.0/16");
  }

  @Test
  void kustomizeBuildsAllResources() throws Exception {
    assertThat(kustomize("deploy/kubernetes"))
        .extracting(each -> each.path("kind").asText())
        .containsExactlyInAnyOrder(
            "ConfigMap",
            "Deployment",
            "NetworkPolicy",
            "PodDisruptionBudget",
            "Service",
            "Service",
            "ServiceMonitor");
  }

  /// The operator takes the value of this label of the service; by default the service's name.
  @Test
  void serviceMonitorUsesTheJobNameOfTheAlerts() throws Exception {
    var made = kustomize("deploy/kubernetes");
    var monitor = kind(made, "ServiceMonitor").path("spec");
    var scraped =
        made.stream()
            .filter(each -> each.path("kind").asText().equals("Service"))
            .map(each -> each.at("/metadata/labels"))
            .filter(each -> contains(each, monitor.at("/selector/matchLabels")))
            .toList();
    var jobs =
        Pattern.compile("job=\"([^\"]+)\"")
            .matcher(Files.readString(ALERTS))
            .results()
            .map(it -> it.group(1))
            .toList();

    assertThat(jobs).isNotEmpty();
    assertThat(scraped)
        .singleElement()
        .satisfies(
            labels ->
                assertThat(jobs)
                    .containsOnly(labels.path(monitor.path("jobLabel").asText()).asText()));
  }

  private static boolean contains(JsonNode labels, JsonNode wanted) {
    return wanted.properties().stream()
        .allMatch(each -> each.getValue().equals(labels.get(each.getKey())));
  }

  @Test
  void downAlertFiresIfNothingIsScraped() throws IOException {
    assertThat(YAML.readTree(ALERTS.toFile()).at("/groups/0/rules/0/expr").asText())
        .contains("absent(up{job=\"runnel\"})");
  }

  @Test
  void jobsDeploymentGrantsOnlyNamespaceRightsAndAgentsNone() throws Exception {
    var made = kustomize("deploy/kubernetes-jobs");
    var pod = kind(made, "StatefulSet").at("/spec/template/spec");
    var role = kind(made, "Role");

    assertThat(made).noneMatch(each -> each.path("kind").asText().startsWith("ClusterRole"));
    assertThat(made).noneMatch(each -> each.path("kind").asText().equals("Deployment"));
    assertThat(pod.path("serviceAccountName").asText()).isEqualTo("runnel");
    assertThat(pod.at("/securityContext/seccompProfile/type").asText()).isEqualTo("RuntimeDefault");
    assertThat(pod.at("/containers/0/securityContext").has("procMount")).isFalse();
    var rights = new ArrayList<String>();
    for (var rule : role.path("rules")) {
      for (var verb : rule.path("verbs")) {
        rights.add(verb.asText() + " " + rule.at("/resources/0").asText());
      }
    }
    assertThat(rights).containsExactlyInAnyOrderElementsOf(KubernetesChoice.rights());
    assertThat(kind(made, "ConfigMap").path("data").toString())
        .contains("claim: " + kind(made, "PersistentVolumeClaim").at("/metadata/name").asText());
  }

  @Test
  void agentsInJobsReachPublicAddressesAndAreUnreachable() throws Exception {
    var policies =
        kustomize("deploy/kubernetes-jobs").stream()
            .filter(each -> each.path("kind").asText().equals("NetworkPolicy"))
            .toList();
    var agents =
        policies.stream()
            .filter(each -> each.at("/metadata/name").asText().equals("agents"))
            .findFirst()
            .orElseThrow()
            .path("spec");

    assertThat(agents.at("/podSelector/matchLabels").toString())
        .isEqualTo("{\"runnel.dev/part\":\"agent\"}");
    assertThat(agents.path("ingress")).isEmpty();
    assertThat(agents.path("policyTypes").toString()).contains("Ingress", "Egress");
    assertThat(agents.path("egress").toString())
        .contains("10.0.0.0/8", "169.254.0.0/16", "192.168.0.0/16");
    // Policies add up, so the wide one of Runnel must not select agents.
    assertThat(policies)
        .filteredOn(each -> each.at("/metadata/name").asText().equals("runnel"))
        .singleElement()
        .satisfies(
            it ->
                assertThat(it.at("/spec/podSelector").toString())
                    .contains("NotIn", "runnel.dev/part", "agent"));
  }

  private List<JsonNode> kustomize(String folder) throws Exception {
    var made = run("kubectl", "kustomize", folder);
    var all = new ArrayList<JsonNode>();
    try (var parser = new YAMLFactory().createParser(made)) {
      YAML.readValues(parser, JsonNode.class).forEachRemaining(all::add);
    }
    return all;
  }

  private static JsonNode kind(List<JsonNode> all, String kind) {
    return all.stream()
        .filter(each -> each.path("kind").asText().equals(kind))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void systemdAcceptsTheUnitFile() throws Exception {
    var unit = Files.readString(DEPLOY.resolve("systemd/runnel.service"));
    // The program is not installed here.
    Files.writeString(
        folder.resolve("runnel.service"), unit.replaceFirst("ExecStart=.*", "ExecStart=/bin/true"));

    assertThat(run("systemd-analyze", "verify", folder.resolve("runnel.service").toString()))
        .doesNotContain("runnel.service:");
    assertThat(unit)
        .contains("NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet=\n")
        // A stop is no failure, and "kill" is no program of a small installation.
        .contains("SuccessExitStatus=143")
        .doesNotContain("/bin/kill");
  }

  private static JsonNode one(String name) throws IOException {
    return YAML.readTree(DEPLOY.resolve("kubernetes").resolve(name).toFile());
  }

  /// Skips the test where the program is not installed.
  private static String run(String... command) throws IOException, InterruptedException {
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      assumeTrue(false, command[0] + " is not installed");
      throw e;
    }
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    return output;
  }
}
