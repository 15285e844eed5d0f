package dev.runnel.surface.slack.install;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenCipherTest {
  private static final String SECRET = "xoxb-a-token";
  private final TokenCipher tokenCipher = new TokenCipher(List.of("client-secret"), "tokens");

  @Test
  void whatIsSealedIsNotReadableAndNeverLooksTheSame() {
    var sealed = tokenCipher.seal(SECRET, "T1");

    assertThat(sealed).doesNotContain("xoxb").isNotEqualTo(tokenCipher.seal(SECRET, "T1"));
    assertThat(tokenCipher.open(sealed, "T1")).contains(new TokenCipher.Opened(SECRET, true));
  }

  @Test
  void anotherNodeWithTheSameSecretOpensIt() {
    assertThat(
            new TokenCipher(List.of("client-secret"), "tokens")
                .open(tokenCipher.seal(SECRET, "T1"), "T1"))
        .isPresent();
  }

  @Test
  void anyOfSeveralSecretsOpensAndTheFirstSeals() {
    var rotating = new TokenCipher(List.of("new", "client-secret"), "tokens");

    assertThat(rotating.open(tokenCipher.seal(SECRET, "T1"), "T1"))
        .contains(new TokenCipher.Opened(SECRET, false));
    assertThat(new TokenCipher(List.of("new"), "tokens").open(rotating.seal(SECRET, "T1"), "T1"))
        .isPresent();
  }

  @Test
  void anotherSecretPurposeOrPlaceDoesNotOpenIt() {
    var sealed = tokenCipher.seal(SECRET, "T1");

    assertThat(new TokenCipher(List.of("other"), "tokens").open(sealed, "T1")).isEmpty();
    assertThat(new TokenCipher(List.of("client-secret"), "states").open(sealed, "T1")).isEmpty();
    assertThat(tokenCipher.open(sealed, "T2")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1.", "1.AAAA", "2.AAAA", "1.!!", "xoxb-in-clear"})
  void whatIsNoSealedTextIsNotOpened(String damaged) {
    assertThat(tokenCipher.open(damaged, "T1")).isEmpty();
  }

  @Test
  void aTextThatWasChangedIsNotOpened() {
    var sealed = tokenCipher.seal(SECRET, "T1");
    var at = sealed.length() / 2;
    var changed =
        sealed.substring(0, at) + (sealed.charAt(at) == 'A' ? 'B' : 'A') + sealed.substring(at + 1);

    assertThat(tokenCipher.open(changed, "T1")).isEmpty();
  }
}
