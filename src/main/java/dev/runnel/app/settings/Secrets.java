package dev.runnel.app.settings;

import dev.runnel.surface.Setting;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Collects the values that must be redacted everywhere.
public final class Secrets {
  private static final Pattern PASSWORD = Pattern.compile("(?i)password=([^&]+)");
  private static final Pattern PROXY_PASSWORD = Pattern.compile("^(?:\\w+://)?[^:@/]*:([^@]+)@");

  private Secrets() {}

  /// The secrets in the settings; a list separated by commas counts as a whole and by its entries.
  public static List<String> of(Settings settings) {
    var secrets = new ArrayList<String>();
    settings
        .values()
        .forEach(
            (setting, value) -> {
              if (setting.isSecret()) {
                secrets.add(value);
                secrets.addAll(List.of(value.split(",", -1)));
              } else if (setting.kind() == Setting.Kind.SECRET_FILE) {
                addContent(value, secrets);
              }
            });
    settings.get(RunnelSettings.DATABASE_URL).ifPresent(url -> addPasswords(url, secrets));
    settings.get(RunnelSettings.HTTPS_PROXY).ifPresent(url -> addProxyPassword(url, secrets));
    settings.hooks().forEach(hook -> secrets.addAll(hook.proof().secrets()));
    secrets.addAll(settings.environments().variableValues().values());
    return List.copyOf(secrets);
  }

  private static void addProxyPassword(String url, List<String> secrets) {
    var found = PROXY_PASSWORD.matcher(url);
    if (found.find()) {
      secrets.add(found.group(1));
      secrets.add(OutgoingProxy.decode(found.group(1)));
    }
  }

  private static void addPasswords(String url, List<String> secrets) {
    PASSWORD
        .matcher(url)
        .results()
        .map(found -> found.group(1))
        .forEach(
            password -> {
              secrets.add(password);
              secrets.add(URLDecoder.decode(password, StandardCharsets.UTF_8));
            });
  }

  private static void addContent(String file, List<String> secrets) {
    try {
      secrets.add(Files.readString(Path.of(file)));
    } catch (IOException | InvalidPathException e) {
      // The component that needs the file reports the problem.
    }
  }
}
