package dev.runnel.app;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.runnel.text.Redactor;
import org.slf4j.LoggerFactory;

/// Redacts secrets in log lines, exceptions included. Named in `logback.xml`.
public final class RedactingLayout extends PatternLayout {
  private static final String REDACTOR = Redactor.class.getName();

  /// Sets the known secrets; until then only texts with the format of a token are redacted.
  static void use(Redactor redactor) {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      use(context, redactor);
    }
  }

  static void use(LoggerContext context, Redactor redactor) {
    context.putObject(REDACTOR, redactor);
  }

  @Override
  public String doLayout(ILoggingEvent event) {
    var known =
        getContext().getObject(REDACTOR) instanceof Redactor redactor ? redactor : Redactor.SHAPES;
    return known.redact(super.doLayout(event));
  }
}
