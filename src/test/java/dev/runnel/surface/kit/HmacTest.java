package dev.runnel.surface.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.nio.charset.StandardCharsets;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.NoSuchProviderException;
import java.security.Provider;
import java.security.Security;
import java.security.spec.AlgorithmParameterSpec;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.MacSpi;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HmacTest {
  private static final String KEY = "It's a Secret to Everybody";
  private static final byte[] BODY = "Hello, World!".getBytes(StandardCharsets.UTF_8);
  private static final String SIGNATURE =
      "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

  @Test
  void signatureEqualsTheExampleOfTheGitHubDocumentation() {
    assertThat(Hmac.hex(KEY, BODY)).isEqualTo(SIGNATURE);
    assertThat(new Hmac(List.of(KEY)).signs(SIGNATURE, BODY)).isTrue();
  }

  @Test
  void hmacEqualsThatOfTheJdk() throws Exception {
    var seed = new Random().nextLong();
    var chance = new Random(seed);
    for (var round = 0; round < 200; round++) {
      var body = new byte[chance.nextInt(300)];
      chance.nextBytes(body);
      var key = "key é " + chance.nextLong();
      var mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));

      assertThat(Hmac.hex(key, body))
          .as("seed %d", seed)
          .isEqualTo(HexFormat.of().formatHex(mac.doFinal(body)));
    }
  }

  @Test
  void hmacWorksWithAProviderThatCannotCloneSignatures() {
    var provider = new TokenProvider();
    Security.insertProviderAt(provider, 1);
    try {
      var hmac = new Hmac(List.of("another secret", KEY));
      assertThat(hmac.signs(SIGNATURE, BODY)).isTrue();
      assertThat(hmac.signs(SIGNATURE, BODY, BODY)).isFalse();
    } finally {
      Security.removeProvider(provider.getName());
    }
  }

  /// Like PKCS #11, which is first in FIPS mode.
  private static final class TokenProvider extends Provider {
    TokenProvider() {
      super("token", "1", "");
      putService(
          new Service(this, "Mac", "HmacSHA256", TokenMac.class.getName(), List.of(), Map.of()) {
            @Override
            public Object newInstance(@Nullable Object parameter) throws NoSuchAlgorithmException {
              return new TokenMac();
            }
          });
    }
  }

  private static final class TokenMac extends MacSpi {
    private final Mac mac;

    TokenMac() throws NoSuchAlgorithmException {
      try {
        mac = Mac.getInstance("HmacSHA256", "SunJCE");
      } catch (NoSuchProviderException e) {
        throw new NoSuchAlgorithmException(e);
      }
    }

    @Override
    protected int engineGetMacLength() {
      return mac.getMacLength();
    }

    @Override
    protected void engineInit(Key key, AlgorithmParameterSpec parameters)
        throws InvalidKeyException, InvalidAlgorithmParameterException {
      mac.init(key, parameters);
    }

    @Override
    protected void engineUpdate(byte input) {
      mac.update(input);
    }

    @Override
    protected void engineUpdate(byte[] input, int offset, int length) {
      mac.update(input, offset, length);
    }

    @Override
    protected byte[] engineDoFinal() {
      return mac.doFinal();
    }

    @Override
    protected void engineReset() {
      mac.reset();
    }
  }

  @Test
  void emptyOrMalformedSignatureIsRejected() {
    var hmac = new Hmac(List.of(KEY));
    for (var wrong : List.of("", " ", SIGNATURE.substring(1), SIGNATURE + "0", "é".repeat(64))) {
      assertThat(hmac.signs(wrong, BODY)).as(wrong).isFalse();
    }
  }

  @Test
  void hmacWithoutASecretIsRejected() {
    for (var secrets : List.of(List.<String>of(), List.of(""), List.of("a", " "))) {
      assertThatIllegalArgumentException().isThrownBy(() -> new Hmac(secrets));
    }
  }

  /// Those who look at claims compare bytes by [MessageDigest#isEqual], which takes as long
  /// wherever the first difference is, or let [SharedSecrets] do it.
  @Test
  void proofsNeverCompareSecretsWithEquals() {
    var proofs =
        Set.of(
            "dev.runnel.surface.kit.Hmac",
            "dev.runnel.surface.kit.SharedSecrets",
            "dev.runnel.surface.kit.StandardWebhooks",
            "dev.runnel.surface.hook.HookProof");
    var found =
        new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("dev.runnel.surface")
                .stream()
                .filter(each -> proofs.stream().anyMatch(each.getName()::startsWith))
                .filter(
                    each ->
                        each.getMethodCallsFromSelf().stream()
                            .anyMatch(HmacTest::isEqualInConstantTime))
                .map(each -> each.getName().replaceFirst("\\$.*", ""))
                .distinct();

    assertThat(found).containsExactlyInAnyOrderElementsOf(proofs);
  }

  private static boolean isEqualInConstantTime(JavaCall<?> call) {
    return (call.getTargetOwner().isEquivalentTo(MessageDigest.class)
            && call.getName().equals("isEqual"))
        || (call.getTargetOwner().isEquivalentTo(SharedSecrets.class)
            && call.getName().equals("contain"));
  }
}
