package dev.runnel.testkit;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/// The recorded deliveries of a platform, without their signatures: headers, an empty line, the
/// body.
///
/// @param platform the folder below `golden`
public record GoldenDeliveries(String platform) {
  private static final JsonMapper JSON = new JsonMapper();

  /// @param headers by lower-case name
  public record Recorded(Map<String, String> headers, ObjectNode body) {
    public byte[] bytes() {
      return body.toString().getBytes(StandardCharsets.UTF_8);
    }
  }

  public List<String> names() {
    try (var files = Files.list(folder())) {
      return files
          .map(file -> file.getFileName().toString().replace(".http", ""))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// A copy that may be changed.
  public Recorded read(String name) {
    try {
      var text = Files.readString(folder().resolve(name + ".http"));
      var end = text.indexOf("\n\n");
      var headers = new HashMap<String, String>();
      text.substring(0, end)
          .lines()
          .map(line -> line.split(": ", 2))
          .forEach(header -> headers.put(header[0].toLowerCase(Locale.ROOT), header[1]));
      return new Recorded(headers, (ObjectNode) JSON.readTree(text.substring(end + 2)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path folder() {
    try {
      var url = GoldenDeliveries.class.getResource("/golden/" + platform + "/deliveries");
      return Path.of(Objects.requireNonNull(url, platform).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(platform, e);
    }
  }
}
