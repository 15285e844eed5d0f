package dev.runnel.signin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.port.SignInProvider.Failed;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// The userinfo endpoint of a provider, which has the claims that a thin ID token lacks.
///
/// @param provider the host of the issuer
/// @param exists whether the discovery document names the endpoint
/// @param request asks the endpoint
record UserInfo(String provider, boolean exists, Supplier<JsonNode> request) {
  private static final String EMAIL = "email";
  private static final String EMAIL_VERIFIED = "email_verified";
  private static final String GROUPS = "groups";

  /// The claims about a person. Asks the endpoint only if the ID token lacks a claim. If both have
  /// a claim, that of the ID token counts.
  ///
  /// @throws Failed if the email address is missing, or the endpoint fails
  JsonNode complete(JsonNode idToken) {
    var missing = missing(idToken, EMAIL, EMAIL_VERIFIED, GROUPS);
    if (missing.isEmpty() || (!exists && missing.equals(List.of(GROUPS)))) {
      return idToken;
    }
    if (!exists) {
      throw new Failed(
          "The ID token has no %s, and %s has no userinfo endpoint. %s"
              .formatted(list(missing), provider, remedy(missing)));
    }
    var answer = ask(missing, ProviderRequests.text(idToken, "sub"));
    var claims = merge(idToken, answer);
    var nowhere = missing(claims, EMAIL, EMAIL_VERIFIED);
    if (!nowhere.isEmpty()) {
      throw new Failed(
          "Neither the ID token nor the userinfo endpoint of %s has %s. %s"
              .formatted(provider, list(nowhere), remedy(nowhere)));
    }
    if (!missing(idToken, EMAIL, EMAIL_VERIFIED).isEmpty()
        && !verifies(answer, claims.path(EMAIL))) {
      claims.put(EMAIL_VERIFIED, false);
    }
    return claims;
  }

  private ObjectNode ask(List<String> missing, String subject) {
    JsonNode answer;
    try {
      answer = request.get();
    } catch (Failed failed) {
      throw new Failed(
          "The ID token has no %s, and the userinfo endpoint of %s failed: %s. %s"
              .formatted(list(missing), provider, failed.getMessage(), remedy(missing)));
    }
    // Without this check, a token that was swapped for another would name another person.
    if (!(answer instanceof ObjectNode claims)
        || !ProviderRequests.text(claims, "sub").equals(subject)) {
      throw new Failed("The userinfo endpoint of " + provider + " describes another person");
    }
    return claims;
  }

  private static ObjectNode merge(JsonNode idToken, ObjectNode answer) {
    var merged = answer.deepCopy();
    idToken.properties().stream()
        .filter(claim -> !claim.getValue().isNull())
        .forEach(claim -> merged.set(claim.getKey(), claim.getValue()));
    return merged;
  }

  /// The endpoint verifies the address that it names, and no other.
  private static boolean verifies(JsonNode answer, JsonNode address) {
    return answer.path(EMAIL_VERIFIED).asBoolean() && answer.path(EMAIL).equals(address);
  }

  private static List<String> missing(JsonNode claims, String... names) {
    return Stream.of(names).filter(name -> !claims.hasNonNull(name)).toList();
  }

  private static String list(List<String> claims) {
    return String.join(", ", claims);
  }

  private static String remedy(List<String> claims) {
    return "Let the provider put %s into the ID token or into the answer of its userinfo endpoint."
        .formatted(list(claims));
  }
}
