package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.joran.spi.JoranException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runnel.app.server.RedactingLayout;
import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.LogSettings;
import dev.runnel.app.settings.Settings;
import dev.runnel.text.Redactor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
  void logEntryStaysOnOneLine() {
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
  void aLineBeginsWithItsDateAndZone() {
    assertThat(logged("{}", null, "a"))
        .containsPattern(
            "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}(Z|[+-]\\d\\d:\\d\\d) INFO");
  }

  @Test
  void jsonLogHasAMemberForEachKeyAndEscapesValues() throws Exception {
    RedactingLayout.use(context, new LogSettings(true, "info", Map.of()));
    var token = "ghp_" + "a1B2c3D4e5".repeat(4);

    var line =
        logged(
            "delivery stored delivery={}", new IOException("Told " + token), "x\" level=\nerror");

    assertThat(line).endsWith("}" + System.lineSeparator()).doesNotContain(token);
    var object = new JsonMapper().readTree(line);
    assertThat(object.path("level").asText()).isEqualTo("info");
    assertThat(object.path("logger").asText()).isEqualTo("dev.runnel.web.WebhookEndpoint");
    assertThat(object.path("message").asText())
        .isEqualTo("delivery stored delivery=x\" level= error");
    assertThat(object.path("delivery").asText()).isEqualTo("x\" level= error");
    assertThat(object.path("exception").asText()).contains("IOException: Told (redacted)", "at ");
    assertThat(Instant.parse(object.path("time").asText())).isNotNull();
  }

  @Test
  void logLevelsAreSetAndReset() {
    RedactingLayout.use(
        context, new LogSettings(false, "warn", Map.of("dev.runnel.surface.slack", "debug")));

    assertThat(context.getLogger("dev.runnel.web.WebServer").isInfoEnabled()).isFalse();
    assertThat(context.getLogger("dev.runnel.surface.slack.api.SlackApi").isDebugEnabled())
        .isTrue();

    RedactingLayout.use(context, new LogSettings(false, "info", Map.of()));

    assertThat(context.getLogger("dev.runnel.web.WebServer").isInfoEnabled()).isTrue();
    assertThat(context.getLogger("dev.runnel.surface.slack.api.SlackApi").isDebugEnabled())
        .isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "RUNNEL_LOG_FORMAT, xml, must be text or json",
    "RUNNEL_LOG_LEVEL, loud, 'holds loud, and must be error, warn'",
    "RUNNEL_LOG_LEVEL, 'info,=debug', 'holds =debug, and must be'"
  })
  void invalidLogSettingIsReportedWithARemedy(String variable, String value, String remedy) {
    var settings = Settings.read(Map.of(variable, value), Optional.empty(), Map.of());

    assertThatThrownBy(() -> Config.of(settings))
        .hasMessageContaining(variable)
        .hasMessageContaining(remedy);
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
