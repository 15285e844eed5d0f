package dev.runnel.memory;

import org.jspecify.annotations.Nullable;

/// What an HTTP request holds in memory, until it is answered. The server sets it as the attribute
/// [#ATTRIBUTE] of each request. Used by the thread of the request.
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
        public boolean grow(long more) {
          return true;
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

  /// Takes more bytes, for what is made of the body.
  ///
  /// @return false if the share is spent: the answer is then 503
  boolean grow(long more);

  /// Hands what the request holds on to who continues with its data. Who gets it closes it.
  Lease handOn();
}
