package dev.runnel.service.workspace;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// The options of an environment's pods in Kubernetes. Names refer to objects in the namespace of
/// the pods.
///
/// @param nodeSelector labels that the Kubernetes node must have
/// @param secrets secrets whose entries become variables of the agent and of setup commands
/// @param pullSecrets secrets with the credentials of image registries
/// @param cpu the CPU request, such as `500m`
/// @param memory the memory request, such as `1Gi`
/// @param extendedResources number of each device that the pod gets from a device plugin, such as
///   `nvidia.com/gpu`
/// @param tolerations taints of Kubernetes nodes that the pod tolerates
public record PodOptions(
    Optional<String> serviceAccount,
    Map<String, String> nodeSelector,
    List<String> secrets,
    List<String> pullSecrets,
    Optional<String> cpu,
    Optional<String> memory,
    Map<String, String> extendedResources,
    List<Toleration> tolerations) {
  public static final PodOptions NONE =
      new PodOptions(
          Optional.empty(),
          Map.of(),
          List.of(),
          List.of(),
          Optional.empty(),
          Optional.empty(),
          Map.of(),
          List.of());

  private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");
  private static final Pattern QUANTITY =
      Pattern.compile("[0-9]+(\\.[0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?");

  /// With a domain: the names without one are those of Kubernetes itself.
  private static final Pattern EXTENDED_RESOURCE =
      Pattern.compile("^[a-z0-9]([a-z0-9.-]*[a-z0-9])?/[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?");

  private static final Pattern COUNT = Pattern.compile("[1-9][0-9]{0,8}");

  /// @param value of the taint; empty for each value
  /// @param effect of the taint; empty for each effect
  public record Toleration(String key, Optional<String> value, Optional<String> effect) {
    private static final Pattern TAINT =
        Pattern.compile(
            "(?<key>[A-Za-z0-9][A-Za-z0-9./_-]*)(=(?<value>[A-Za-z0-9._-]*))?"
                + "(:(?<effect>NoSchedule|PreferNoSchedule|NoExecute))?");

    /// @param taint as `kubectl taint` takes it; value and effect may be absent
    /// @throws IllegalArgumentException if it is invalid; the message says what to write instead
    public static Toleration of(String taint) {
      var parts = TAINT.matcher(taint);
      if (!parts.matches()) {
        throw new IllegalArgumentException(
            "tolerations holds %s, and must hold taints like nvidia.com/gpu=present:NoSchedule, where value and effect may be absent"
                .formatted(taint));
      }
      return new Toleration(
          parts.group("key"),
          Optional.ofNullable(parts.group("value")),
          Optional.ofNullable(parts.group("effect")));
    }
  }

  /// @throws IllegalArgumentException if a value is invalid; the message says what to write instead
  public PodOptions {
    nodeSelector = Map.copyOf(new TreeMap<>(nodeSelector));
    secrets = List.copyOf(secrets);
    pullSecrets = List.copyOf(pullSecrets);
    serviceAccount.ifPresent(name -> requireName("service_account", name));
    secrets.forEach(name -> requireName("secrets", name));
    pullSecrets.forEach(name -> requireName("pull_secrets", name));
    cpu.ifPresent(text -> requireQuantity("cpu", text, "500m"));
    memory.ifPresent(text -> requireQuantity("memory", text, "1Gi"));
    extendedResources = Map.copyOf(new TreeMap<>(extendedResources));
    extendedResources.forEach(PodOptions::requireExtendedResource);
    tolerations = List.copyOf(tolerations);
  }

  /// Uses other options for those that are not set.
  public PodOptions orElse(PodOptions others) {
    return new PodOptions(
        serviceAccount.or(others::serviceAccount),
        nodeSelector.isEmpty() ? others.nodeSelector : nodeSelector,
        secrets.isEmpty() ? others.secrets : secrets,
        pullSecrets.isEmpty() ? others.pullSecrets : pullSecrets,
        cpu.or(others::cpu),
        memory.or(others::memory),
        extendedResources.isEmpty() ? others.extendedResources : extendedResources,
        tolerations.isEmpty() ? others.tolerations : tolerations);
  }

  private static void requireName(String key, String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "%s contains %s, which is not a name of a Kubernetes object".formatted(key, name));
    }
  }

  private static void requireExtendedResource(String name, String count) {
    if (!EXTENDED_RESOURCE.matcher(name).matches() || !COUNT.matcher(count).matches()) {
      throw new IllegalArgumentException(
          "extended_resources holds %s: %s, and must hold names with a domain and whole numbers, like nvidia.com/gpu: 1"
              .formatted(name, count));
    }
  }

  private static void requireQuantity(String key, String text, String example) {
    if (!QUANTITY.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "%s is %s, and must be a quantity like %s".formatted(key, text, example));
    }
  }
}
