package dev.runnel.app.settings;

import static dev.runnel.surface.Setting.plain;

import dev.runnel.service.workspace.PodOptions;
import dev.runnel.surface.Setting;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// `agents.kubernetes`, and the section `kubernetes` of environments.
public final class KubernetesOptions {
  public static final Setting NAMESPACE =
      setting(
          "NAMESPACE",
          "Runnel's own",
          "With the isolation `kubernetes`: the namespace of the Jobs.");

  public static final Setting CLAIM =
      setting(
          "CLAIM",
          "",
          "The persistent volume claim that Runnel and the pods have mounted, with Runnel's data"
              + " folder in it; needed for the isolation `kubernetes`.");

  public static final Setting VOLUME =
      setting("VOLUME", "the data folder", "The folder where Runnel has mounted that claim.");

  private static final Setting SERVICE_ACCOUNT =
      setting(
          "SERVICE_ACCOUNT", "default", "The service account of pods. They get no token of it.");

  private static final Setting NODE_SELECTOR =
      setting(
          "NODE_SELECTOR",
          "",
          "Labels of the machines that pods may run on: `disk=ssd,zone=a`, or a section of the"
              + " file.");

  private static final Setting SECRETS =
      setting(
          "SECRETS",
          "",
          "Secrets of Kubernetes, separated by commas, whose entries are variables of agents and"
              + " setup commands. Runnel does not see them, so it cannot remove them from output.");

  private static final Setting PULL_SECRETS =
      setting("PULL_SECRETS", "", "Secrets with the logins of image registries.");

  private static final Setting CPU =
      setting(
          "CPU",
          "",
          "The processors that a pod requests, such as `500m`. Its limit is `agents.limits.cpus`.");

  private static final Setting MEMORY =
      setting(
          "MEMORY",
          "the limit",
          "The memory that a pod requests, such as `1Gi`. Its limit is `agents.limits.memory`.");

  private static final Setting EXTENDED_RESOURCES =
      setting(
          "EXTENDED_RESOURCES",
          "",
          "What each pod gets of what device plugins offer: `nvidia.com/gpu=1`, or a section of the"
              + " file. Setup commands run in such pods, too.");

  private static final Setting TOLERATIONS =
      setting(
          "TOLERATIONS",
          "",
          "Taints, separated by commas, of machines that pods may run on nevertheless, as `kubectl"
              + " taint` takes them: `nvidia.com/gpu=present:NoSchedule`. Value and effect may be"
              + " absent.");

  static final List<Setting> ALL =
      List.of(
          NAMESPACE,
          CLAIM,
          VOLUME,
          SERVICE_ACCOUNT,
          NODE_SELECTOR,
          SECRETS,
          PULL_SECRETS,
          CPU,
          MEMORY,
          EXTENDED_RESOURCES,
          TOLERATIONS);

  private static final List<String> KEYS =
      List.of(
          "service_account",
          "node_selector",
          "secrets",
          "pull_secrets",
          "cpu",
          "memory",
          "extended_resources",
          "tolerations");

  private KubernetesOptions() {}

  private static Setting setting(String name, String defaultValue, String description) {
    return plain("RUNNEL_AGENTS_KUBERNETES_" + name, defaultValue, description)
        .at("agents.kubernetes." + name.toLowerCase(Locale.ROOT));
  }

  /// What all pods are like, where their environment says nothing else.
  public static PodOptions pods(Settings settings) {
    try {
      return new PodOptions(
          settings.get(SERVICE_ACCOUNT),
          pairs("node_selector", settings.list(NODE_SELECTOR), "labels, like disk=ssd"),
          settings.list(SECRETS),
          settings.list(PULL_SECRETS),
          settings.get(CPU),
          settings.get(MEMORY),
          pairs(
              "extended_resources",
              settings.list(EXTENDED_RESOURCES),
              "numbers, like nvidia.com/gpu=1"),
          tolerations(settings.list(TOLERATIONS)));
    } catch (IllegalArgumentException e) {
      throw new SettingsException("agents.kubernetes: %s.".formatted(e.getMessage()));
    }
  }

  static PodOptions ofEnvironment(YamlSection section) {
    if (section.isAbsent()) {
      return PodOptions.NONE;
    }
    section.checkKeys(KEYS);
    var selector = pairs(section.at("node_selector"), "must hold labels, like {disk: ssd}");
    var resources =
        pairs(section.at("extended_resources"), "must hold numbers, like {nvidia.com/gpu: 1}");
    return section.read(
        () ->
            new PodOptions(
                section.text("service_account"),
                selector,
                section.at("secrets").strings(),
                section.at("pull_secrets").strings(),
                section.text("cpu"),
                section.text("memory"),
                resources,
                tolerations(section.at("tolerations").strings())));
  }

  private static List<PodOptions.Toleration> tolerations(List<String> taints) {
    return taints.stream().map(PodOptions.Toleration::of).toList();
  }

  /// @param demand the message if it is something else
  private static Map<String, String> pairs(YamlSection section, String demand) {
    var pairs = new LinkedHashMap<String, String>();
    section.entries(demand).forEach((name, value) -> pairs.put(name, value.text().orElse("")));
    return pairs;
  }

  /// @param kind what it must hold, with an example
  private static Map<String, String> pairs(String key, List<String> entries, String kind) {
    var pairs = new LinkedHashMap<String, String>();
    for (var each : entries) {
      var equals = each.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException(
            "%s holds %s, and must hold %s".formatted(key, each, kind));
      }
      pairs.put(each.substring(0, equals).strip(), each.substring(equals + 1).strip());
    }
    return pairs;
  }
}
