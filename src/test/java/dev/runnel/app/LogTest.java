package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.joran.spi.JoranException;
import dev.runnel.text.Redactor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("It changes the levels of loggers.")
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
    assertThat(logged("conversation={}", null, "a\r\n12:00 ERROR forged"))
        .endsWith(
            "INFO  WebhookEndpoint conversation=a 12:00 ERROR forged" + System.lineSeparator());
  }

  @Test
  void noSecretIsLoggedNorInWhatAnExceptionSays() {
    RedactingLayout.use(context, Redactor.of(List.of("our-own-secret")));
    var token = "ghp_" + "a1B2c3D4e5".repeat(4);
    var broken =
        new IllegalStateException(
            "Told " + token, new IOException("-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n"));

    var line = logged("why={}", broken, "our-own-secret");

    assertThat(line)
        .contains("why=(redacted)", "IllegalStateException: Told (redacted)", "Caused by:");
    assertThat(line).doesNotContain("our-own-secret", token, "MIIEpAIBAAKCAQEA");
  }

  @Test
  void aTokenIsMaskedBeforeTheSettingsAreRead() {
    assertThat(logged("{}", null, "xoxb-0123456789")).contains("WebhookEndpoint (redacted)");
  }

  @Test
  void theSlackLibraryDoesNotQuoteRequests() {
    assertThat(context.getLogger("com.slack.api.bolt.util.SlackRequestParser").isWarnEnabled())
        .isFalse();
  }

  private String logged(String message, @Nullable Throwable thrown, String argument) {
    var log = context.getLogger("dev.runnel.web.WebhookEndpoint");
    var event = new LoggingEvent("", log, Level.INFO, message, thrown, new Object[] {argument});
    var out = (ConsoleAppender<ILoggingEvent>) root().getAppender("out");
    return new String(out.getEncoder().encode(event), StandardCharsets.UTF_8);
  }

  private ch.qos.logback.classic.Logger root() {
    return context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  }
}
