package dev.runnel.app.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.pattern.RootCauseFirstThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.app.settings.LogSettings;
import dev.runnel.text.Redactor;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;

/// Formats log lines, as text or as JSON, and redacts secrets in them, exceptions included. Named
/// in `logback.xml`.
///
/// In JSON, each `key={}` of a message is a member of its own, so that all lines of a delivery, a
/// conversation, a run or an error can be found.
public final class RedactingLayout extends PatternLayout {
  private static final String REDACTOR = Redactor.class.getName();
  private static final String JSON = JsonMapper.class.getName();
  private static final String CHANGED = LogSettings.class.getName();
  private static final Pattern PARAMETER = Pattern.compile("(?:\\b(\\w+)=)?\\{}");
  private static final Pattern LINE_BREAKS = Pattern.compile("[\\r\\n]+");
  private static final Set<String> OWN_MEMBERS =
      Set.of("time", "level", "logger", "message", "exception");

  private final JsonMapper json = new JsonMapper();
  private final RootCauseFirstThrowableProxyConverter throwables =
      new RootCauseFirstThrowableProxyConverter();

  /// Sets the known secrets; until then only texts with the format of a token are redacted.
  public static void use(Redactor redactor) {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      use(context, redactor);
    }
  }

  public static void use(LoggerContext context, Redactor redactor) {
    context.putObject(REDACTOR, redactor);
  }

  /// Sets format and levels; until then it is text, with the levels of `logback.xml`.
  public static void use(LogSettings settings) {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      use(context, settings);
    }
  }

  public static void use(LoggerContext context, LogSettings settings) {
    context.putObject(JSON, settings.json());
    if (context.getObject(CHANGED) instanceof Set<?> before) {
      before.forEach(name -> context.getLogger(name.toString()).setLevel(null));
    }
    context.getLogger("dev.runnel").setLevel(Level.valueOf(settings.level()));
    settings
        .levels()
        .forEach((name, level) -> context.getLogger(name).setLevel(Level.valueOf(level)));
    context.putObject(CHANGED, new TreeSet<>(settings.levels().keySet()));
  }

  @Override
  public void start() {
    throwables.start();
    super.start();
  }

  @Override
  public String doLayout(ILoggingEvent event) {
    var known =
        getContext().getObject(REDACTOR) instanceof Redactor redactor
            ? redactor
            : Redactor.PATTERNS;
    return Boolean.TRUE.equals(getContext().getObject(JSON))
        ? object(event, known) + System.lineSeparator()
        : known.redact(super.doLayout(event));
  }

  /// Each text is redacted before it is quoted, because quotes would hide parts of a secret.
  private ObjectNode object(ILoggingEvent event, Redactor known) {
    var line = json.createObjectNode();
    line.put("time", event.getInstant().toString());
    line.put("level", event.getLevel().toString().toLowerCase(Locale.ROOT));
    line.put("logger", event.getLoggerName());
    line.put("message", plain(event.getFormattedMessage(), known));
    var arguments = event.getArgumentArray();
    if (arguments != null) {
      var parameters = PARAMETER.matcher(event.getMessage());
      for (int i = 0; i < arguments.length && parameters.find(); i++) {
        var key = parameters.group(1);
        if (key != null && !OWN_MEMBERS.contains(key)) {
          line.put(key, plain(String.valueOf(arguments[i]), known));
        }
      }
    }
    if (event.getThrowableProxy() != null) {
      line.put("exception", known.redact(throwables.convert(event)));
    }
    return line;
  }

  private static String plain(String text, Redactor known) {
    return LINE_BREAKS.matcher(known.redact(text)).replaceAll(" ");
  }
}
