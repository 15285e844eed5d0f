package dev.runnel.surface.slack.api;

import dev.runnel.core.port.ProxyRefused;
import dev.runnel.surface.kit.SharedProxy;
import dev.runnel.surface.slack.model.SlackConfig;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/// Uploads and downloads file contents. Requests go to Slack's own hosts only, because they carry
/// the token.
public final class FileTransfer {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final MediaType BYTES = MediaType.get("application/octet-stream");

  private final SlackConfig config;
  private final OkHttpClient http;
  private final Optional<String> token;

  /// @param platform its proxy is used
  public FileTransfer(SlackConfig config, OkHttpClient platform) {
    this(
        config,
        SharedProxy.of(platform, new OkHttpClient.Builder())
            .callTimeout(TIMEOUT)
            .retryOnConnectionFailure(false)
            // Without access to the file, Slack redirects to a sign-in page.
            .followRedirects(false)
            .build(),
        config.botToken());
  }

  private FileTransfer(SlackConfig config, OkHttpClient http, Optional<String> token) {
    this.config = config;
    this.http = http;
    this.token = token;
  }

  /// A copy that uses another workspace's token.
  public FileTransfer with(Optional<String> token) {
    return new FileTransfer(config, http, token);
  }

  /// @param address the upload URL that Slack returned
  /// @return a meaningless value on success
  public SlackResponse<String> send(String address, byte[] bytes) {
    return send(address, RequestBody.create(bytes, BYTES));
  }

  /// Sends a file from the disk.
  ///
  /// @param address the upload URL that Slack returned
  /// @return a meaningless value on success
  public SlackResponse<String> send(String address, Path file) {
    return send(address, RequestBody.create(file.toFile(), BYTES));
  }

  private SlackResponse<String> send(String address, RequestBody body) {
    return ours(address)
        .map(it -> call(new Request.Builder().url(it).post(body).build(), _ -> ""))
        .orElseGet(() -> new SlackResponse.No<>("not_slacks_address"));
  }

  /// @param type the required media type
  /// @param most in bytes; a longer file is refused
  public SlackResponse<byte[]> fetch(URI address, String type, long most) {
    var url = ours(address.toString());
    if (url.isEmpty()) {
      return new SlackResponse.No<>("not_slacks_address");
    }
    var request =
        new Request.Builder()
            .url(url.get())
            .header("Authorization", "Bearer " + token.orElse(""))
            .build();
    return call(request, response -> bytes(response, type, most))
        .flatMap(
            found ->
                found
                    .<SlackResponse<byte[]>>map(SlackResponse.Ok::new)
                    .orElseGet(() -> new SlackResponse.No<>("not_it")));
  }

  private static Optional<byte[]> bytes(Response response, String type, long most)
      throws IOException {
    if (!String.valueOf(response.header("Content-Type")).startsWith(type)) {
      return Optional.empty();
    }
    return Optional.of(response.peekBody(most + 1).bytes()).filter(it -> it.length <= most);
  }

  private Optional<String> ours(String address) {
    try {
      return config.isOurs(URI.create(address)) ? Optional.of(address) : Optional.empty();
    } catch (IllegalArgumentException odd) {
      return Optional.empty();
    }
  }

  @FunctionalInterface
  private interface Reader<T> {
    T read(Response response) throws IOException;
  }

  private <T> SlackResponse<T> call(Request request, Reader<T> reader) {
    try (var response = http.newCall(request).execute()) {
      var status = response.code();
      if (response.isSuccessful()) {
        return new SlackResponse.Ok<>(reader.read(response));
      }
      return status == 408 || status == 429 || status >= 500
          ? new SlackResponse.Wait<>(Optional.empty(), "Slack responded with status " + status)
          : new SlackResponse.No<>("http_" + status);
    } catch (IOException e) {
      return new SlackResponse.Wait<>(
          Optional.empty(), "Slack is unreachable: " + ProxyRefused.why(e));
    }
  }
}
