package dev.runnel.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileLimitTest {
  private static final String HEAD = "Limit                     Soft Limit           Hard Limit";

  @Test
  void theSoftLimitCounts() {
    assertThat(
            FileLimit.of(
                List.of(
                    HEAD,
                    "Max open files            1024                 524288               files")))
        .isEqualTo(1_024);
    assertThat(
            FileLimit.of(
                List.of(
                    HEAD,
                    "Max open files            unlimited            unlimited            files")))
        .isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void withoutTheLineTheUsualLimitIsTaken() {
    assertThat(FileLimit.of(List.of(HEAD))).isEqualTo(10_240);
  }

  @Test
  void theLimitOfThisProcessIsFound() {
    assertThat(FileLimit.ofThisProcess()).isPositive();
  }

  @ParameterizedTest
  @CsvSource({"9223372036854775807, 10000", "10240, 9728", "4096, 3584", "1024, 512", "256, 128"})
  void connectionsLeaveFilesForOthers(long files, int connections) {
    assertThat(ConnectionLimit.most(files)).isEqualTo(connections);
  }
}
