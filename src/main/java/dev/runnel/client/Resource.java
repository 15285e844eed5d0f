package dev.runnel.client;

import dev.runnel.client.ClientContext.Request;
import dev.runnel.client.HttpRequest.Effect;
import java.util.List;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/// Builds the calls of a group of endpoints.
///
/// @param options the client's options; body members only apply to requests with a body
record Resource(ClientContext context, RequestOptions options) {
  <T> Call<T> get(String action, Call.Reader<T> reader, HttpUrl url) {
    return call(action, "GET", url, null, Effect.SAFE, reader);
  }

  <T> Call<T> get(
      String action,
      Call.Reader<T> reader,
      HttpUrl url,
      List<RequestOptions.Parameter> parameters) {
    var request = new Request(action, "GET", url, null, Effect.SAFE, false).withQuery(parameters);
    return new Call<>(context, request, options.withoutBody(), reader);
  }

  /// @param effect the effect of repeating the request
  <T> Call<T> call(
      String action,
      String method,
      HttpUrl url,
      @Nullable Object body,
      Effect effect,
      Call.Reader<T> reader) {
    return new Call<>(
        context,
        new Request(action, method, url, body, effect, false),
        body == null ? options.withoutBody() : options,
        reader);
  }

  HttpUrl url(String... segments) {
    return context.url(segments);
  }
}
