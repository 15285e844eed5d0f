package dev.runnel.testkit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// A git server on loopback, by `git http-backend`, that lets in whoever has the token.
///
/// @param folder holds bare repositories
public record GitServer(HttpServer server, ExecutorService threads, Path folder, String token)
    implements AutoCloseable {
  public static GitServer start(Path folder, String token) {
    try {
      var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      var started =
          new GitServer(server, Executors.newVirtualThreadPerTaskExecutor(), folder, token);
      server.setExecutor(started.threads());
      server.createContext("/", started::serve);
      server.start();
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// `localhost:PORT`
  public String authority() {
    return "localhost:" + server.getAddress().getPort();
  }

  public String url(String path) {
    return "http://" + authority() + "/" + path;
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      var login = "x-access-token:" + token;
      var wanted =
          "Basic " + Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8));
      if (!wanted.equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
        exchange.getResponseHeaders().add("WWW-Authenticate", "Basic realm=\"git\"");
        exchange.sendResponseHeaders(401, -1);
        return;
      }
      var process = backend(exchange).start();
      try (var stdin = process.getOutputStream()) {
        exchange.getRequestBody().transferTo(stdin);
      }
      answer(exchange, new BufferedInputStream(process.getInputStream()));
    }
  }

  private ProcessBuilder backend(HttpExchange exchange) {
    var builder = new ProcessBuilder("git", "-c", "http.receivepack=true", "http-backend");
    var environment = builder.environment();
    environment.put("GIT_PROJECT_ROOT", folder.toString());
    environment.put("GIT_HTTP_EXPORT_ALL", "1");
    environment.put("REQUEST_METHOD", exchange.getRequestMethod());
    environment.put("PATH_INFO", exchange.getRequestURI().getPath());
    environment.put(
        "QUERY_STRING", Objects.requireNonNullElse(exchange.getRequestURI().getQuery(), ""));
    var headers = exchange.getRequestHeaders();
    environment.put(
        "CONTENT_TYPE", Objects.requireNonNullElse(headers.getFirst("Content-Type"), ""));
    environment.put(
        "HTTP_CONTENT_ENCODING",
        Objects.requireNonNullElse(headers.getFirst("Content-Encoding"), ""));
    environment.put(
        "GIT_PROTOCOL", Objects.requireNonNullElse(headers.getFirst("Git-Protocol"), ""));
    return builder.redirectError(ProcessBuilder.Redirect.DISCARD);
  }

  /// Headers, a blank line, and the body, as CGI has it.
  private static void answer(HttpExchange exchange, InputStream output) throws IOException {
    var status = 200;
    for (var line = line(output); !line.isEmpty(); line = line(output)) {
      var parts = line.split(": ", 2);
      if (parts[0].equals("Status")) {
        status = Integer.parseInt(parts[1].split(" ", 2)[0]);
      } else {
        exchange.getResponseHeaders().add(parts[0], parts[1]);
      }
    }
    // The JDK's server closes the connection, if it was asked to, without saying so.
    exchange.getResponseHeaders().add("Connection", "close");
    exchange.sendResponseHeaders(status, 0);
    output.transferTo(exchange.getResponseBody());
  }

  private static String line(InputStream input) throws IOException {
    var line = new StringBuilder();
    for (var next = input.read(); next >= 0 && next != '\n'; next = input.read()) {
      line.append((char) next);
    }
    return line.toString().strip();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.close();
  }
}
