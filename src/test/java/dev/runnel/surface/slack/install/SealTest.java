package dev.runnel.surface.slack.install;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SealTest {
  private static final String SECRET = "xoxb-a-token";
  private final Seal seal = new Seal(List.of("client-secret"), "tokens");

  @Test
  void whatIsSealedIsNotReadableAndNeverLooksTheSame() {
    var sealed = seal.seal(SECRET, "T1");

    assertThat(sealed).doesNotContain("xoxb").isNotEqualTo(seal.seal(SECRET, "T1"));
    assertThat(seal.open(sealed, "T1")).contains(new Seal.Opened(SECRET, true));
  }

  @Test
  void anotherNodeWithTheSameSecretOpensIt() {
    assertThat(new Seal(List.of("client-secret"), "tokens").open(seal.seal(SECRET, "T1"), "T1"))
        .isPresent();
  }

  @Test
  void anyOfSeveralSecretsOpensAndTheFirstSeals() {
    var rotating = new Seal(List.of("new", "client-secret"), "tokens");

    assertThat(rotating.open(seal.seal(SECRET, "T1"), "T1"))
        .contains(new Seal.Opened(SECRET, false));
    assertThat(new Seal(List.of("new"), "tokens").open(rotating.seal(SECRET, "T1"), "T1"))
        .isPresent();
  }

  @Test
  void anotherSecretPurposeOrPlaceDoesNotOpenIt() {
    var sealed = seal.seal(SECRET, "T1");

    assertThat(new Seal(List.of("other"), "tokens").open(sealed, "T1")).isEmpty();
    assertThat(new Seal(List.of("client-secret"), "states").open(sealed, "T1")).isEmpty();
    assertThat(seal.open(sealed, "T2")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1.", "1.AAAA", "2.AAAA", "1.!!", "xoxb-in-clear"})
  void whatIsNoSealedTextIsNotOpened(String damaged) {
    assertThat(seal.open(damaged, "T1")).isEmpty();
  }

  @Test
  void aTextThatWasChangedIsNotOpened() {
    var sealed = seal.seal(SECRET, "T1");
    var at = sealed.length() / 2;
    var changed =
        sealed.substring(0, at) + (sealed.charAt(at) == 'A' ? 'B' : 'A') + sealed.substring(at + 1);

    assertThat(seal.open(changed, "T1")).isEmpty();
  }
}
