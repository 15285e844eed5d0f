package dev.runnel.memory;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What an HTTP request and its body hold in memory, until the request was handled. The server sets
/// it as the attribute [#ATTRIBUTE] of each request. Used by the thread of the request.
public interface RequestMemory {
  String ATTRIBUTE = "dev.runnel.memory.request";

  /// Takes nothing from any share, for requests that no limited server received.
  RequestMemory UNLIMITED =
      new RequestMemory() {
        @Override
        public boolean proven() {
          return true;
        }

        @Override
        public boolean provenByKey() {
          return true;
        }

        @Override
        public void streamed() {}

        @Override
        public Optional<Lease> parser(long bytes) {
          return Optional.of(Lease.NONE);
        }

        @Override
        public Lease handOn() {
          return Lease.NONE;
        }
      };

  /// @param attribute the value of the request's attribute [#ATTRIBUTE]
  static RequestMemory of(@Nullable Object attribute) {
    return attribute instanceof RequestMemory memory ? memory : UNLIMITED;
  }

  /// The sender has shown a valid signature, key or session. What the request holds, and takes from
  /// now on, comes from the share of proven senders.
  ///
  /// @return false if that share is spent: the answer is then 503
  boolean proven();

  /// The same for a key of the API that is not the main key. Such keys have a part of that share
  /// together, so that they leave room for deliveries.
  boolean provenByKey();

  /// The body is read in pieces that nobody keeps, so its bytes are not counted from now on.
  void streamed();

  /// Memory for a parser, until it is closed. It comes from the share of proven senders, because
  /// nothing is parsed without a valid signature.
  ///
  /// @return empty if the share is spent: the answer is then 503
  Optional<Lease> parser(long bytes);

  /// Hands what the request holds on to who continues with its data. Who gets it closes it.
  Lease handOn();
}
