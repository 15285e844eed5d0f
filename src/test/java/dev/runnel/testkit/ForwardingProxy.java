package dev.runnel.testkit;

import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import mockwebserver3.MockResponse;
import mockwebserver3.RecordedRequest;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okio.Buffer;
import okio.ByteString;

/// Passes requests on to a real service and its answers back, but for the idempotency key, which
/// the public service does not know.
final class ForwardingProxy implements AutoCloseable {
  private final OkHttpClient client =
      new OkHttpClient.Builder().retryOnConnectionFailure(false).build();
  private final HttpUrl service;

  /// @param service without a path
  ForwardingProxy(URI service) {
    this.service = Optional.ofNullable(HttpUrl.get(service)).orElseThrow();
  }

  MockResponse pass(RecordedRequest request) throws IOException {
    return pass(request, request.getHeaders());
  }

  /// The same, with other headers.
  MockResponse pass(RecordedRequest request, Headers headers) throws IOException {
    var url =
        request
            .getUrl()
            .newBuilder()
            .scheme(service.scheme())
            .host(service.host())
            .port(service.port())
            .build();
    var body = Optional.ofNullable(request.getBody()).orElse(ByteString.EMPTY);
    var passed =
        new Request.Builder()
            .url(url)
            .headers(headers.newBuilder().removeAll("Idempotency-Key").build())
            .method(
                request.getMethod(),
                request.getMethod().equals("GET") ? null : RequestBody.create(body, null))
            .build();
    try (var response = client.newCall(passed).execute()) {
      return new MockResponse.Builder()
          .code(response.code())
          .headers(response.headers().newBuilder().removeAll("Transfer-Encoding").build())
          .body(new Buffer().write(response.body().bytes()))
          .build();
    }
  }

  @Override
  public void close() {
    client.dispatcher().executorService().shutdown();
    client.connectionPool().evictAll();
  }
}
