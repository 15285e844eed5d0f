package dev.runnel.service.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class QuotasTest {
  private static final Quotas QUOTAS = new Quotas(2_000_000_000, 4096, Quotas.ALL_CPUS);
  private static final Map<String, String> ENVIRONMENT = Map.of("PATH", System.getenv("PATH"));

  @Test
  void anAgentGetsTheLimitsOfItsSettings() {
    assertThat(options(limits("unlimited", "unlimited")))
        .containsExactly("--core=0", "--data=2000000000", "--nproc=4096", "--");
    assertThat(options(limits("2000000000", "4096")))
        .containsExactly("--core=0", "--data=2000000000", "--nproc=4096", "--");
    assertThat(options("")).contains("--nproc=4096");
  }

  @Test
  void aLowerLimitOfRunnelItselfIsNotRaised() {
    assertThat(options(limits("unlimited", "1024")))
        .containsExactly("--core=0", "--data=2000000000", "--");
    assertThat(options(limits("1000000000", "unlimited")))
        .containsExactly("--core=0", "--nproc=4096", "--");
  }

  @Test
  void aContainerHasLimitsOfMemoryWithoutSwapOfProcessesAndOfProcessors() {
    assertThat(new Quotas(2_000_000_000, 4096, 1.5).containerOptions())
        .containsExactly(
            "--memory",
            "2000000000b",
            "--memory-swap",
            "2000000000b",
            "--pids-limit",
            "4096",
            "--cpus",
            "1.50");
  }

  @Test
  void unlimitedQuotaSetsNoOption() {
    var none = new Quotas(Long.MAX_VALUE, Quotas.UNLIMITED_PROCESSES, Quotas.ALL_CPUS);

    assertThat(none.limitCommand(ENVIRONMENT, limits("unlimited", "unlimited")))
        .endsWith("--core=0", "--");
    assertThat(none.containerOptions()).isEmpty();
  }

  private static List<String> options(String ownLimits) {
    var prefix = QUOTAS.limitCommand(ENVIRONMENT, ownLimits);
    return prefix.subList(1, prefix.size());
  }

  /// As `/proc/self/limits` has them.
  private static String limits(String data, String processes) {
    return """
    Limit                     Soft Limit           Hard Limit           Units
    Max data size             1000                 %-20s bytes
    Max processes             1000                 %-20s processes
    """
        .formatted(data, processes);
  }
}
