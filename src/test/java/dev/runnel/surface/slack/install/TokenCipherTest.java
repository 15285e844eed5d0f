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
  void encryptedTokenIsUnreadableAndAlwaysDifferent() {
    var encrypted = tokenCipher.encrypt(SECRET, "T1");

    assertThat(encrypted).doesNotContain("xoxb").isNotEqualTo(tokenCipher.encrypt(SECRET, "T1"));
    assertThat(tokenCipher.decrypt(encrypted, "T1"))
        .contains(new TokenCipher.Decrypted(SECRET, true));
  }

  @Test
  void otherNodeWithTheSameSecretCanDecrypt() {
    assertThat(
            new TokenCipher(List.of("client-secret"), "tokens")
                .decrypt(tokenCipher.encrypt(SECRET, "T1"), "T1"))
        .isPresent();
  }

  @Test
  void anySecretDecryptsAndTheFirstEncrypts() {
    var rotating = new TokenCipher(List.of("new", "client-secret"), "tokens");

    assertThat(rotating.decrypt(tokenCipher.encrypt(SECRET, "T1"), "T1"))
        .contains(new TokenCipher.Decrypted(SECRET, false));
    assertThat(
            new TokenCipher(List.of("new"), "tokens").decrypt(rotating.encrypt(SECRET, "T1"), "T1"))
        .isPresent();
  }

  @Test
  void otherSecretPurposeOrPlaceCannotDecrypt() {
    var encrypted = tokenCipher.encrypt(SECRET, "T1");

    assertThat(new TokenCipher(List.of("other"), "tokens").decrypt(encrypted, "T1")).isEmpty();
    assertThat(new TokenCipher(List.of("client-secret"), "states").decrypt(encrypted, "T1"))
        .isEmpty();
    assertThat(tokenCipher.decrypt(encrypted, "T2")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1.", "1.AAAA", "2.AAAA", "1.!!", "xoxb-in-clear"})
  void malformedCiphertextIsNotDecrypted(String damaged) {
    assertThat(tokenCipher.decrypt(damaged, "T1")).isEmpty();
  }

  @Test
  void tamperedCiphertextIsNotDecrypted() {
    var encrypted = tokenCipher.encrypt(SECRET, "T1");
    var at = encrypted.length() / 2;
    var changed =
        encrypted.substring(0, at)
            + (encrypted.charAt(at) == 'A' ? 'B' : 'A')
            + encrypted.substring(at + 1);

    assertThat(tokenCipher.decrypt(changed, "T1")).isEmpty();
  }
}
