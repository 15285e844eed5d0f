package dev.runnel.console;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/// A page's stream, read as a browser reads it.
final class OpenPage implements AutoCloseable {
  record Event(String name, String data, String id) {}

  private final HttpClient client = HttpClient.newHttpClient();
  private final List<Event> events = new CopyOnWriteArrayList<>();
  private final AtomicLong bytes = new AtomicLong();
  private final int status;

  OpenPage(URI address, String... headers) throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(address).header("Accept", "text/event-stream");
    if (headers.length > 0) {
      request.headers(headers);
    }
    var response = client.send(request.build(), HttpResponse.BodyHandlers.ofLines());
    status = response.statusCode();
    var _ =
        Thread.ofVirtual()
            .start(
                () -> {
                  try (var lines = response.body()) {
                    var reading = new Reading();
                    lines.forEach(reading::line);
                  } catch (RuntimeException closed) {
                    // The test has closed the page.
                  }
                });
  }

  private final class Reading {
    private String name = "";
    private String id = "";
    private final StringBuilder data = new StringBuilder();

    void line(String line) {
      bytes.addAndGet(line.getBytes(StandardCharsets.UTF_8).length + 1);
      if (line.isEmpty()) {
        if (!name.isEmpty()) {
          events.add(new Event(name, data.toString(), id));
        }
        name = "";
        data.setLength(0);
      } else if (line.startsWith("event: ")) {
        name = line.substring("event: ".length());
      } else if (line.startsWith("id: ")) {
        id = line.substring("id: ".length());
      } else if (line.startsWith("data: ")) {
        data.append(line, "data: ".length(), line.length()).append("\n");
      }
    }
  }

  int status() {
    return status;
  }

  /// The number of bytes that the page was sent.
  long bytes() {
    return bytes.get();
  }

  /// The events of that name, oldest first.
  List<Event> events(String name) {
    return events.stream().filter(event -> event.name().equals(name)).toList();
  }

  /// All that was sent under that name.
  String sent(String name) {
    return String.join("", events(name).stream().map(Event::data).toList());
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
