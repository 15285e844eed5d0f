package dev.runnel.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.CheckReturnValue;
import dev.runnel.client.ClientContext.Received;
import dev.runnel.client.ClientContext.Request;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A request that is ready to be sent. Nothing happens before [#send] or [#sendAsync]. Immutable
/// and thread-safe; it can be sent several times.
///
/// ```java
/// RunItem run = client.runs().get("run-7").send();
/// CompletableFuture<RunItem> later = client.runs().get("run-7").sendAsync();
/// RawResponse<RunItem> raw = client.runs().get("run-7").withRawResponse().send();
/// ```
///
/// @param <T> type of the parsed response
@CheckReturnValue
public final class Call<T> {
  /// Parses a 2xx response.
  @FunctionalInterface
  interface Reader<T> {
    /// @throws RunsException.MalformedResponse if the body does not have the expected format
    T read(Received received);
  }

  private final ClientContext context;
  private final Request request;
  private final RequestOptions options;
  private final Reader<T> reader;

  Call(ClientContext context, Request request, RequestOptions options, Reader<T> reader) {
    this.context = context;
    this.request = request;
    this.options = options;
    this.reader = reader;
  }

  /// Sends the request and waits for the response. An interrupt ends the wait at once.
  ///
  /// @throws RunsException for any error response or network failure
  @CanIgnoreReturnValue
  public T send() {
    return reader.read(context.send(request, options));
  }

  /// Sends the request asynchronously. The future fails with a [RunsException]; cancelling it, or
  /// letting it time out, aborts the request.
  public CompletableFuture<T> sendAsync() {
    return context.async(this::send);
  }

  /// Returns the same request with other options, for this call only.
  ///
  /// @param change function from the current options to the new ones
  public Call<T> withOptions(UnaryOperator<RequestOptions> change) {
    return new Call<>(context, request, change.apply(options), reader);
  }

  /// Returns the response with its status, headers, duration and number of attempts; the body is
  /// parsed on demand.
  ///
  /// @throws IllegalStateException if the body is streamed: a [StreamedResponse] already has status
  ///   and headers
  public Call<RawResponse<T>> withRawResponse() {
    if (request.streamed()) {
      throw new IllegalStateException("A streamed body cannot be read as a raw response");
    }
    return new Call<>(context, request, options, received -> new RawResponse<>(received, reader));
  }

  /// Returns the response with its body as a stream. A response other than 2xx still fails.
  public Call<StreamedResponse> withStreamedBody() {
    return new Call<>(context, request.streamed(true), options, StreamedResponse::new);
  }

  /// Returns the same request with its response parsed as another type.
  ///
  /// @param type any type that Jackson can read; `JsonNode` for the tree
  public <U> Call<U> as(Class<U> type) {
    return new Call<>(context, request.streamed(false), options, json(type));
  }

  /// Method and path, without query and body.
  @Override
  public String toString() {
    return request.toString();
  }

  static <T> Reader<T> json(Class<T> type) {
    return received -> {
      try {
        var strict = received.options().strict().orElse(false);
        return present(received, Json.read(received.answer().body(), type, strict));
      } catch (IOException unreadable) {
        // The parser's message quotes the response, so it is not kept as the cause.
        throw RunsException.unreadable(received.call(), received.answer());
      }
    };
  }

  /// Any JSON; a missing node for an empty body, as after a deletion.
  static Reader<JsonNode> anything() {
    return received ->
        received.answer().body().size() == 0
            ? MissingNode.getInstance()
            : json(JsonNode.class).read(received);
  }

  /// A list in a member of the response.
  static <T> Reader<List<T>> list(String member, Class<T> type) {
    return received -> {
      try {
        var items = Json.tree(received.answer().body()).path(member);
        if (!items.isArray()) {
          throw RunsException.unreadable(received.call(), received.answer());
        }
        var list = new ArrayList<T>();
        for (var item : items) {
          list.add(
              present(received, Json.read(item, type, received.options().strict().orElse(false))));
        }
        return List.copyOf(list);
      } catch (IOException unreadable) {
        throw RunsException.unreadable(received.call(), received.answer());
      }
    };
  }

  /// A bare JSON string.
  static Reader<String> string() {
    return received -> present(received, json(JsonNode.class).read(received).textValue());
  }

  /// A string in a member of the response.
  static Reader<String> string(String member) {
    return received ->
        present(received, json(JsonNode.class).read(received).path(member).textValue());
  }

  static Reader<byte[]> bytes() {
    return received -> received.answer().body().toByteArray();
  }

  /// Ignores the body.
  static Reader<Done> done() {
    return ignored -> Done.DONE;
  }

  private static <T> T present(Received received, @Nullable T value) {
    if (value == null) {
      throw RunsException.unreadable(received.call(), received.answer());
    }
    return value;
  }
}
