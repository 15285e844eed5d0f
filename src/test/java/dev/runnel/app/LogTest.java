package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.joran.spi.JoranException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LogTest {
  private final LoggerContext context = new LoggerContext();

  @BeforeEach
  void configure() throws JoranException {
    var configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(Main.class.getResource("/logback.xml"));
  }

  @Test
  void whatIsLoggedStaysOnOneLine() {
    var log = context.getLogger("dev.runnel.web.FrontDoor");
    var event =
        new LoggingEvent(
            "", log, Level.INFO, "conversation={}", null, new Object[] {"a\r\n12:00 ERROR forged"});
    var out = (ConsoleAppender<ILoggingEvent>) root().getAppender("out");

    assertThat(new String(out.getEncoder().encode(event), StandardCharsets.UTF_8))
        .endsWith("INFO  FrontDoor conversation=a 12:00 ERROR forged" + System.lineSeparator());
  }

  @Test
  void theSlackLibraryDoesNotQuoteRequests() {
    assertThat(context.getLogger("com.slack.api.bolt.util.SlackRequestParser").isWarnEnabled())
        .isFalse();
  }

  private ch.qos.logback.classic.Logger root() {
    return context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  }
}
