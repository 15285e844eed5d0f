package dev.runnel.surface;

import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.Reply;
import dev.runnel.core.port.CredentialRefused;
import dev.runnel.core.port.Surface;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/// A connected platform: its surface, and the operations that start and check it.
public interface ConnectedPlatform extends AutoCloseable {
  Surface surface();

  /// A conversation in the place, for looking up people there; empty if the place has another form.
  ///
  /// @param place without the platform's name: `T012AB/C012345`, `acme/shop`
  default Optional<Conversation> conversationIn(String place) {
    return Optional.empty();
  }

  /// How it is connected, for the operator: `on`, `on, over a socket`, `on, but …`.
  String status();

  /// Calls the platform once for each credential.
  List<ConnectionCheck> check();

  /// Looks up our own account. If the platform does not respond, the next call asks again.
  ///
  /// @throws CredentialRefused if the platform does not accept our credential
  void start();

  /// The pages for browsers, by path.
  default Map<String, PlatformPage> pages() {
    return Map.of();
  }

  /// Opens the connections that we initiate, in the background, and keeps them open until
  /// [#disconnect()].
  ///
  /// @param handler handles each result; a 2xx reply acknowledges the delivery
  default void connect(Function<WebhookResult, Reply> handler, RandomGenerator chance) {}

  default void disconnect() {}

  /// Why no delivery can arrive over those connections; empty if they may arrive.
  default Optional<String> problem() {
    return Optional.empty();
  }

  @Override
  default void close() {}
}
