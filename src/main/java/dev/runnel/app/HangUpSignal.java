package dev.runnel.app;

import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The signal HUP: a terminal was closed, or somebody asks a service to read its settings again. It
/// ends a JVM that does not handle it.
final class HangUpSignal {
  private static final Logger log = LoggerFactory.getLogger(HangUpSignal.class);

  private HangUpSignal() {}

  /// From now on the signal does this, and does not end the process.
  static void handle(Runnable action) {
    try {
      // The compiler warns of these names wherever they are written as types, and has no way to
      // allow them.
      var signal = Class.forName("sun.misc.Signal");
      var handler = Class.forName("sun.misc.SignalHandler");
      var handling =
          Proxy.newProxyInstance(
              HangUpSignal.class.getClassLoader(),
              new Class<?>[] {handler},
              (_, _, _) -> {
                action.run();
                return null;
              });
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), handling);
    } catch (ReflectiveOperationException e) {
      log.warn("a hang-up ends this process: its signal cannot be handled", e);
    }
  }
}
