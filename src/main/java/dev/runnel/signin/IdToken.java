package dev.runnel.signin;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.port.SignInProvider.Failed;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.Signature;
import java.security.spec.RSAPublicKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;

/// Verifies an ID token of OpenID Connect: a JWT that is signed with RS256.
final class IdToken {
  private static final Duration SKEW = Duration.ofMinutes(2);
  private static final int MIN_BITS = 2048;

  private IdToken() {}

  /// The expected claims.
  record Expected(String issuer, String audience, String nonce, Instant now) {}

  /// @param keys a JSON Web Key Set
  /// @return the claims
  /// @throws Failed if the token is not valid
  static JsonNode check(String token, JsonNode keys, Expected expected) {
    var parts = token.split("\\.", -1);
    if (parts.length != 3) {
      throw new Failed("The ID token is not a JWT");
    }
    try {
      var header = ProviderRequests.json(decode(parts[0]));
      // Other algorithms, such as none and HS256, would let others forge tokens.
      if (!header.path("alg").asText().equals("RS256")) {
        throw new Failed("The ID token is not signed with RS256");
      }
      var signature = Signature.getInstance("SHA256withRSA");
      signature.initVerify(
          KeyFactory.getInstance("RSA").generatePublic(key(keys, header.path("kid").asText(""))));
      signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
      if (!signature.verify(decode(parts[2]))) {
        throw new Failed("The signature of the ID token is invalid");
      }
    } catch (GeneralSecurityException | IllegalArgumentException malformed) {
      throw new Failed("The ID token cannot be verified");
    }
    var claims = ProviderRequests.json(decode(parts[1]));
    checkClaims(claims, expected);
    return claims;
  }

  private static void checkClaims(JsonNode claims, Expected expected) {
    if (!ProviderRequests.text(claims, "iss").equals(expected.issuer())) {
      throw new Failed("The ID token has another issuer");
    }
    var audience = claims.path("aud");
    var isForUs =
        audience.isArray()
            ? audience.size() == 1 && audience.get(0).asText().equals(expected.audience())
            : audience.asText().equals(expected.audience());
    if (!isForUs) {
      throw new Failed("The ID token is for another client");
    }
    if (!claims.path("exp").isNumber()
        || claims.path("exp").asLong() < expected.now().minus(SKEW).getEpochSecond()) {
      throw new Failed("The ID token has expired");
    }
    if (!MessageDigest.isEqual(
        ProviderRequests.text(claims, "nonce").getBytes(StandardCharsets.UTF_8),
        expected.nonce().getBytes(StandardCharsets.UTF_8))) {
      throw new Failed("The ID token is for another sign-in attempt");
    }
  }

  private static RSAPublicKeySpec key(JsonNode keys, String id) {
    for (var key : keys.path("keys")) {
      var isUsable =
          key.path("kty").asText().equals("RSA") && !key.path("use").asText("sig").equals("enc");
      if (isUsable && (id.isEmpty() || key.path("kid").asText().equals(id))) {
        var modulus = number(key, "n");
        if (modulus.bitLength() < MIN_BITS) {
          throw new Failed("The key of the provider is too short");
        }
        return new RSAPublicKeySpec(modulus, number(key, "e"));
      }
    }
    throw new Failed("The provider has no key with the id of the ID token");
  }

  private static BigInteger number(JsonNode key, String member) {
    return new BigInteger(1, decode(ProviderRequests.text(key, member)));
  }

  private static byte[] decode(String text) {
    try {
      return Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException malformed) {
      throw new Failed("The ID token cannot be read");
    }
  }
}
