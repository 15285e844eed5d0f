package dev.runnel.service.kubernetes;

import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Tries whether executions can run in Kubernetes, and says for people how to fix what cannot.
public final class KubernetesCheck {
  private record Right(String verb, String group, String resource, String subresource) {
    @Override
    public String toString() {
      return "%s %s%s".formatted(verb, resource, subresource.isEmpty() ? "" : "/" + subresource);
    }
  }

  private static final List<Right> RIGHTS =
      List.of(
          new Right("create", "batch", "jobs", ""),
          new Right("get", "batch", "jobs", ""),
          new Right("list", "batch", "jobs", ""),
          new Right("delete", "batch", "jobs", ""),
          new Right("list", "", "pods", ""),
          new Right("watch", "", "pods", ""),
          new Right("delete", "", "pods", ""),
          new Right("get", "", "pods", "log"),
          new Right("list", "", "events", ""));

  private KubernetesCheck() {}

  /// What Runnel must be allowed to do in the namespace: `create jobs`, …
  public static List<String> rights() {
    return RIGHTS.stream().map(Right::toString).toList();
  }

  /// @return what to do; empty if all is well
  public static Optional<String> problem(KubernetesSettings settings) {
    try (var client = Kubernetes.client()) {
      return problem(client, settings.namespace());
    }
  }

  static Optional<String> problem(KubernetesClient client, String namespace) {
    try {
      var missing = new ArrayList<String>();
      for (var right : RIGHTS) {
        if (!isAllowed(client, namespace, right)) {
          missing.add(right.toString());
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
          "The API server of Kubernetes at %s did not answer as it should: %s. Check the service account of Runnel's pod, or KUBECONFIG."
              .formatted(client.getMasterUrl(), Cluster.reason(e)));
    }
  }

  private static boolean isAllowed(KubernetesClient client, String namespace, Right right) {
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
                    .withVerb(right.verb())
                    .withGroup(right.group())
                    .withResource(right.resource())
                    .withSubresource(right.subresource().isEmpty() ? null : right.subresource())
                    .endResourceAttributes()
                    .endSpec()
                    .build());
    return answer.getStatus() != null && Boolean.TRUE.equals(answer.getStatus().getAllowed());
  }
}
