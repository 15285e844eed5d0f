package dev.runnel.service.kubernetes;

import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Checks whether executions can run in Kubernetes, and explains how to fix what is missing.
public final class KubernetesCheck {
  private record Permission(String verb, String group, String resource, String subresource) {
    @Override
    public String toString() {
      return "%s %s%s".formatted(verb, resource, subresource.isEmpty() ? "" : "/" + subresource);
    }
  }

  private static final List<Permission> PERMISSIONS =
      List.of(
          new Permission("create", "batch", "jobs", ""),
          new Permission("get", "batch", "jobs", ""),
          new Permission("list", "batch", "jobs", ""),
          new Permission("delete", "batch", "jobs", ""),
          new Permission("list", "", "pods", ""),
          new Permission("watch", "", "pods", ""),
          new Permission("delete", "", "pods", ""),
          new Permission("get", "", "pods", "log"),
          new Permission("list", "", "events", ""));

  private KubernetesCheck() {}

  /// The permissions that Runnel needs in the namespace: `create jobs`, …
  public static List<String> permissions() {
    return PERMISSIONS.stream().map(Permission::toString).toList();
  }

  /// @return what to do; empty if there is no problem
  public static Optional<String> problem(KubernetesSettings settings) {
    try (var client = Kubernetes.client()) {
      return problem(client, settings.namespace());
    }
  }

  static Optional<String> problem(KubernetesClient client, String namespace) {
    try {
      var missing = new ArrayList<String>();
      for (var permission : PERMISSIONS) {
        if (!isAllowed(client, namespace, permission)) {
          missing.add(permission.toString());
        }
      }
      if (!missing.isEmpty()) {
        return Optional.of(
            "Runnel may not do this in the namespace %s: %s. Give its service account a Role, as deploy/kubernetes-jobs/rights.yaml does."
                .formatted(namespace, String.join(", ", missing)));
      }
      client.pods().inNamespace(namespace).withLabel(JobSpec.MANAGED_BY, JobSpec.RUNNEL).list();
      return Optional.empty();
    } catch (KubernetesClientException e) {
      return Optional.of(
          "The Kubernetes API server at %s did not respond as expected: %s. Check the service account of Runnel's pod, or KUBECONFIG."
              .formatted(client.getMasterUrl(), Cluster.reason(e)));
    }
  }

  private static boolean isAllowed(
      KubernetesClient client, String namespace, Permission permission) {
    var answer =
        client
            .authorization()
            .v1()
            .selfSubjectAccessReview()
            .create(
                new SelfSubjectAccessReviewBuilder()
                    .withNewSpec()
                    .withNewResourceAttributes()
                    .withNamespace(namespace)
                    .withVerb(permission.verb())
                    .withGroup(permission.group())
                    .withResource(permission.resource())
                    .withSubresource(
                        permission.subresource().isEmpty() ? null : permission.subresource())
                    .endResourceAttributes()
                    .endSpec()
                    .build());
    return answer.getStatus() != null && Boolean.TRUE.equals(answer.getStatus().getAllowed());
  }
}
