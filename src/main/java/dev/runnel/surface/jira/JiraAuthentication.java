package dev.runnel.surface.jira;

import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.surface.kit.BasicAuth;
import dev.runnel.surface.kit.Hmac;
import dev.runnel.surface.kit.SharedSecrets;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/// Authenticates webhooks. Jira signs the body; a Data Center that cannot sign may have the secret
/// at the end of the webhook's URL, or as the password in it.
final class JiraAuthentication {
  private final Hmac hmac;
  private final SharedSecrets secrets;
  private final boolean isCloud;

  JiraAuthentication(List<String> secrets, boolean isCloud) {
    this.hmac = new Hmac(secrets);
    this.secrets = new SharedSecrets(secrets);
    this.isCloud = isCloud;
  }

  /// If there is a signature it must be valid, whatever else is sent.
  boolean isAuthentic(RawRequest request) {
    var signature = request.header("X-Hub-Signature");
    if (signature.isPresent()) {
      return hmac.signsHeader(signature.get(), request.body());
    }
    return !isCloud
        && (inPath(request).filter(secrets::contain).isPresent()
            || BasicAuth.password(request).filter(secrets::contain).isPresent());
  }

  private static Optional<String> inPath(RawRequest request) {
    var prefix = Jira.PATH + "/";
    if (!request.path().startsWith(prefix)) {
      return Optional.empty();
    }
    try {
      var segment = request.path().substring(prefix.length()).replace("+", "%2B");
      return Optional.of(URLDecoder.decode(segment, StandardCharsets.UTF_8));
    } catch (IllegalArgumentException malformed) {
      return Optional.empty();
    }
  }
}
