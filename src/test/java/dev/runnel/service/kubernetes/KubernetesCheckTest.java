package dev.runnel.service.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KubernetesCheckTest {
  @TempDir Path folder;
  private FakeCluster cluster;

  @BeforeEach
  void open() {
    cluster =
        new FakeCluster(
            folder,
            (_, _) -> {
              throw new IOException("No pods here");
            });
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  @Test
  void checkPassesWithTheRequiredRights() {
    assertThat(KubernetesCheck.problem(cluster.client(), FakeCluster.NAMESPACE)).isEmpty();
  }

  @Test
  void missingRightsAreNamedWithARemedy() {
    cluster.deny(Set.of("create jobs", "get pods/log"));

    assertThat(KubernetesCheck.problem(cluster.client(), FakeCluster.NAMESPACE))
        .contains(
            "Runnel may not do this in the namespace agents: create jobs, get pods/log. Give its"
                + " service account a Role, as deploy/kubernetes-jobs/rights.yaml does.");
  }

  @Test
  void anApiServerThatDoesNotAnswerIsNamedWithTheRemedy() {
    cluster.goAway();

    assertThat(KubernetesCheck.problem(cluster.client(), FakeCluster.NAMESPACE).orElseThrow())
        .startsWith("The Kubernetes API server at http://127.0.0.1:")
        .contains("did not respond as expected")
        .endsWith("Check the service account of Runnel's pod, or KUBECONFIG.");
  }
}
