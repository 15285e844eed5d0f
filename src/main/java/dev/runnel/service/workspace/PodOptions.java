package dev.runnel.service.workspace;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// What the pods of an environment are like in Kubernetes. Names are those of objects in the pods'
/// namespace.
///
/// @param nodeSelector labels that the machine must have
/// @param secrets whose entries become variables of the agent and of setup commands
/// @param pullSecrets with the logins of image registries
/// @param cpu the processors that a machine must have left, such as `500m`
/// @param memory the memory that a machine must have left, such as `1Gi`
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

  /// Takes from others what is not set here.
  public PodOptions or(PodOptions others) {
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
          "%s holds %s, which is no name of an object in Kubernetes".formatted(key, name));
    }
  }

  private static void requireQuantity(String key, String text, String example) {
    if (!QUANTITY.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "%s is %s, and must be a quantity like %s".formatted(key, text, example));
    }
  }
}
