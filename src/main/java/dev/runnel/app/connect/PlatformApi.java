package dev.runnel.app.connect;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.runnel.app.connect.Step.Found;
import java.io.IOException;

/// An API with which a connection is tried.
///
/// @param setting the variable of its address
/// @param advice for an answer that is not the platform's
record PlatformApi(String platform, String address, String setting, String advice) {
  /// A part of the connection.
  @FunctionalInterface
  interface Attempt {
    Found make() throws IOException;
  }

  /// What an attempt finds, or why there was no answer.
  Found tried(Attempt attempt) {
    try {
      return attempt.make();
    } catch (JsonProcessingException _) {
      return new Found.Fails("%s does not answer like %s.".formatted(address, platform), advice);
    } catch (IOException e) {
      return new Found.Fails(
          "%s cannot be reached (%s).".formatted(address, Network.why(e)),
          "Look at the network of this machine, at its proxy, and at %s.".formatted(setting));
    }
  }
}
