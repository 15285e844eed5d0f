package dev.runnel.app;

import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The signal HUP, sent when a terminal is closed or to make a service reload its settings. It
/// terminates a JVM that does not handle it.
final class HangUpSignal {
  private static final Logger log = LoggerFactory.getLogger(HangUpSignal.class);

  private HangUpSignal() {}

  /// Runs the action on each HUP signal instead of terminating the process.
  static void handle(Runnable action) {
    try {
      // Uses reflection, because the compiler warns about these types wherever they are named, and
      // the warning cannot be suppressed.
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
      log.warn("signal HUP cannot be handled, it terminates this process", e);
    }
  }
}
