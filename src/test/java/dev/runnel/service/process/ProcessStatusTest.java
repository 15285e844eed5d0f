package dev.runnel.service.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProcessStatusTest {
  private static final String REST =
      " 7 42 40 0 -1 4194560 74 0 0 0 0 0 0 0 20 0 1 0 123456 5398528 384 18446744073709551615\n";

  @ParameterizedTest
  @ValueSource(strings = {"sleep", "a b", "a) Z 1 1 1 (b", "(", ")", "", " ", ") S 1 2 3"})
  void processNameWithParenthesesAndBlanksIsParsed(String name) {
    assertThat(ProcessStatus.parse(77, "77 (" + name + ") S" + REST))
        .contains(new ProcessStatus(77, name, true, 7, 40, 123456));
  }

  @ParameterizedTest
  @ValueSource(strings = {"Z", "X"})
  void aProcessThatOnlyWaitsForItsParentIsNotLiving(String state) {
    assertThat(ProcessStatus.parse(77, "77 (sh) " + state + REST))
        .hasValueSatisfying(status -> assertThat(status.isLiving()).isFalse());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "77", "77 (sh", "77 )(", "77 (sh)", "77 (sh) S 7 42 40 0 -1"})
  void truncatedStatusIsRejected(String stat) {
    assertThat(ProcessStatus.parse(77, stat)).isEmpty();
  }

  @Test
  void reusedProcessIdGetsNoSignalForTheOldProcess() {
    var now = ProcessStatus.of(ProcessHandle.current()).orElseThrow();
    var before =
        new ProcessStatus(
            now.pid(), now.name(), true, now.parent(), now.session(), now.start() - 1);

    assertThat(now.handle()).contains(ProcessHandle.current());
    assertThat(before.isSame(now)).isFalse();
    assertThat(before.handle()).isEmpty();
  }
}
