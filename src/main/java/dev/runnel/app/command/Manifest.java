package dev.runnel.app.command;

import dev.runnel.app.settings.Config;
import dev.runnel.surface.slack.SlackPlatform;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The Slack app manifest with this installation's URL; in socket mode, without request URLs.
public final class Manifest {
  /// The placeholder URL in `manifest.yml`.
  public static final String PLACEHOLDER = "https://runnel.example.com";

  private Manifest() {}

  /// Prints it, with a warning if Slack cannot reach its URL.
  public static void print(Config config, PrintStream out, PrintStream err) {
    var slack = config.settings().of(SlackPlatform.DEFINITION);
    if (slack.containsKey("SLACK_APP_TOKEN")) {
      out.print(
          overSocket(
              slack.containsKey("SLACK_CLIENT_ID")
                  ? config.addresses().publicUrl()
                  : Optional.empty()));
      return;
    }
    var address = config.addresses().publicUrlOr(config.addresses().port());
    out.print(overHttp(address));
    if (config.addresses().publicUrl().isEmpty()) {
      err.println(
          "Slack cannot reach %s. RUNNEL_PUBLIC_URL sets another address, for example %s. Or set SLACK_APP_TOKEN: a socket needs no address."
              .formatted(address, PLACEHOLDER));
    }
  }

  /// @param address empty for a socket
  public static String of(Optional<URI> address) {
    return address.map(Manifest::overHttp).orElseGet(() -> overSocket(Optional.empty()));
  }

  /// @param browsers where people install the app, if they do
  private static String overSocket(Optional<URI> browsers) {
    return lines()
        .filter(line -> !line.contains("SLACK_APP_TOKEN"))
        .filter(
            line ->
                !line.contains(PLACEHOLDER)
                    || (line.contains("redirect_urls") && browsers.isPresent()))
        .map(line -> line.replace(PLACEHOLDER, browsers.map(URI::toString).orElse("")))
        .map(line -> line.replace("socket_mode_enabled: false", "socket_mode_enabled: true"))
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private static String overHttp(URI address) {
    return lines()
        .map(line -> line.replace(PLACEHOLDER, address.toString()))
        .collect(Collectors.joining("\n", "", "\n"));
  }

  /// Omits the comment at the beginning, which explains how to fill in the URL.
  private static Stream<String> lines() {
    return template().lines().dropWhile(line -> line.startsWith("#"));
  }

  private static String template() {
    try (var file =
        Objects.requireNonNull(
            Manifest.class.getResourceAsStream("/manifest.yml"), "manifest.yml is packaged")) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
