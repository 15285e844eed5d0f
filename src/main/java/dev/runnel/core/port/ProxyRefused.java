package dev.runnel.core.port;

import java.io.IOException;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The proxy between Runnel and the internet refused a connection because of its login. The message
/// names the proxy and the setting to correct, without secrets.
public final class ProxyRefused extends IOException {
  private static final long serialVersionUID = 1;

  /// @param why a clause that begins with `the proxy`
  public ProxyRefused(String why) {
    super(why);
  }

  /// The message, if a refusal of the proxy is the problem or one of its causes.
  public static Optional<String> in(@Nullable Throwable problem) {
    return Stream.<Throwable>iterate(problem, it -> it != null, Throwable::getCause)
        .filter(ProxyRefused.class::isInstance)
        .map(it -> String.valueOf(it.getMessage()))
        .findFirst();
  }

  /// The message of a refusal. Of other problems the kind, because their messages may contain
  /// addresses that are secret.
  public static String why(Throwable problem) {
    return in(problem).orElseGet(() -> problem.getClass().getSimpleName());
  }
}
