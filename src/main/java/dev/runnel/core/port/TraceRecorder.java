package dev.runnel.core.port;

import dev.runnel.core.model.Delivery;
import java.time.Instant;

/// Records traces of deliveries. Its methods neither fail nor wait for a network.
public interface TraceRecorder {
  TraceRecorder NONE =
      new TraceRecorder() {
        @Override
        public void stored(Delivery delivery, Instant since, Instant until) {}

        @Override
        public void attempt(Delivery delivery, int tries, Runnable work) {
          work.run();
        }
      };

  /// A new delivery is on disk.
  ///
  /// @param since when it was verified and parsed
  /// @param until when it was committed
  void stored(Delivery delivery, Instant since, Instant until);

  /// Runs the attempt at a delivery.
  ///
  /// @param tries number of earlier attempts
  void attempt(Delivery delivery, int tries, Runnable work);
}
