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
public record PodOptions(
    Optional<String> serviceAccount,
    Map<String, String> nodeSelector,
    List<String> secrets,
    List<String> pullSecrets,
    Optional<String> cpu,
    Optional<String> memory) {
  public static final PodOptions NONE =
      new PodOptions(
          Optional.empty(), Map.of(), List.of(), List.of(), Optional.empty(), Optional.empty());

  private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");
  private static final Pattern QUANTITY =
      Pattern.compile("[0-9]+(\\.[0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?");

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
  }

  /// Uses other options for those that are not set.
  public PodOptions orElse(PodOptions others) {
    return new PodOptions(
        serviceAccount.or(others::serviceAccount),
        nodeSelector.isEmpty() ? others.nodeSelector : nodeSelector,
        secrets.isEmpty() ? others.secrets : secrets,
        pullSecrets.isEmpty() ? others.pullSecrets : pullSecrets,
        cpu.or(others::cpu),
        memory.or(others::memory));
  }

  private static void requireName(String key, String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "%s contains %s, which is not a name of a Kubernetes object".formatted(key, name));
    }
  }

  private static void requireQuantity(String key, String text, String example) {
    if (!QUANTITY.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "%s is %s, and must be a quantity like %s".formatted(key, text, example));
    }
  }
}
