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

/// A request that is ready to be sent. Nothing happens before [#send] or [#sendAsync]. Immutable;
/// it may be sent several times, and from many threads.
///
/// ```java
/// RunItem run = client.runs().get("run-7").send();
/// CompletableFuture<RunItem> later = client.runs().get("run-7").sendAsync();
/// RawResponse<RunItem> raw = client.runs().get("run-7").withRawResponse().send();
/// ```
///
/// @param <T> what the answer is read as
@CheckReturnValue
public final class Call<T> {
  /// Reads an answer of the 200s.
  @FunctionalInterface
  interface Reader<T> {
    /// @throws RunsException.UnreadableAnswer when it is not what was promised
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

  /// Sends, and waits for the answer. An interrupt ends the wait at once.
  ///
  /// @throws RunsException for all that the service or the network does
  @CanIgnoreReturnValue
  public T send() {
    return reader.read(context.send(request, options));
  }

  /// Sends without waiting. The future fails with a [RunsException]; to cancel it, or to let it
  /// time out, ends the request.
  public CompletableFuture<T> sendAsync() {
    return context.async(this::send);
  }

  /// The same request with other options, for this call only.
  ///
  /// @param change from the options so far
  public Call<T> withOptions(UnaryOperator<RequestOptions> change) {
    return new Call<>(context, request, change.apply(options), reader);
  }

  /// The answer with its status, headers, time and attempts; the body is read when it is asked for.
  ///
  /// @throws IllegalStateException when the body is to stay open: a [StreamedResponse] has its
  ///     status and headers already
  public Call<RawResponse<T>> withRawResponse() {
    if (request.streamed()) {
      throw new IllegalStateException("An open body is not read as a raw response");
    }
    return new Call<>(context, request, options, received -> new RawResponse<>(received, reader));
  }

  /// The answer with its body still open. An answer that is none of the 200s fails as ever.
  public Call<StreamedResponse> withStreamedBody() {
    return new Call<>(context, request.streamed(true), options, StreamedResponse::new);
  }

  /// The same request, its answer read as something else.
  ///
  /// @param type anything Jackson reads; `JsonNode` for the tree
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
        // The parser's message quotes the answer, so it is not kept as the cause.
        throw RunsException.unreadable(received.call(), received.answer());
      }
    };
  }

  /// Whatever JSON there is; a missing node where there is nothing, as after a deletion.
  static Reader<JsonNode> anything() {
    return received ->
        received.answer().body().size() == 0
            ? MissingNode.getInstance()
            : json(JsonNode.class).read(received);
  }

  /// A list that is a member of the answer.
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

  /// A string that is a member of the answer.
  static Reader<String> string(String member) {
    return received ->
        present(received, json(JsonNode.class).read(received).path(member).textValue());
  }

  static Reader<byte[]> bytes() {
    return received -> received.answer().body().toByteArray();
  }

  /// Takes whatever comes.
  static Reader<Done> done() {
    return _ -> Done.DONE;
  }

  private static <T> T present(Received received, @Nullable T value) {
    if (value == null) {
      throw RunsException.unreadable(received.call(), received.answer());
    }
    return value;
  }
}
