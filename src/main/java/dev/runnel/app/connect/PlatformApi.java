package dev.runnel.app.connect;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.runnel.app.connect.Step.CheckResult;
import java.io.IOException;

/// The API of a platform that is being connected.
///
/// @param setting the variable that contains its address
/// @param advice what to do about a response that is not the platform's
record PlatformApi(String platform, String address, String setting, String advice) {
  /// A check of a part of the connection.
  @FunctionalInterface
  interface Attempt {
    CheckResult make() throws IOException;
  }

  /// The result of an attempt, or why there was no response.
  CheckResult attempt(Attempt attempt) {
    try {
      return attempt.make();
    } catch (JsonProcessingException _) {
      return new CheckResult.Failed(
          "%s does not respond like %s.".formatted(address, platform), advice);
    } catch (IOException e) {
      return new CheckResult.Failed(
          "%s cannot be reached (%s).".formatted(address, Network.why(e)),
          "Check the network of this machine, its proxy, and %s.".formatted(setting));
    }
  }
}
