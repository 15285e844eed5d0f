package dev.runnel.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.client.HttpRequest.Effect;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A client of the Agent Run API. Its methods return a [Call], which is sent either blocking or
/// asynchronously. Thread-safe; one client per application is enough.
///
/// All errors of the service or the network are reported as [RunsException]. Read-only and
/// idempotent requests are retried when that may help; others only if the failed attempt certainly
/// had no effect.
public final class RunsClient implements AutoCloseable {
  private final ClientContext context;
  private final RequestOptions options;
  private final Resource api;

  RunsClient(ClientContext context, RequestOptions options) {
    this.context = context;
    this.options = options;
    this.api = new Resource(context, options);
  }

  public static RunsClientBuilder builder() {
    return new RunsClientBuilder();
  }

  /// A builder configured from the environment: [RunsClientBuilder#fromEnvironment].
  public static RunsClientBuilder fromEnvironment() {
    return builder().fromEnvironment();
  }

  /// Returns a client with other options that shares the connections of this one, and is closed
  /// with it.
  ///
  /// @param change function from the current options to the new ones
  public RunsClient withOptions(UnaryOperator<RequestOptions> change) {
    return new RunsClient(context, change.apply(options));
  }

  public Runs runs() {
    return new Runs(api);
  }

  public Factories factories() {
    return new Factories(api);
  }

  /// Skills, environments, models, workers.
  public Catalog catalog() {
    return new Catalog(api);
  }

  public Identities identities() {
    return new Identities(api);
  }

  public Schedules schedules() {
    return new Schedules(api);
  }

  public Artifacts artifacts() {
    return new Artifacts(api);
  }

  public Conversations conversations() {
    return new Conversations(api);
  }

  /// Sends a GET to any path of the service, including paths unknown to this version. A response
  /// without a body is a missing node.
  ///
  /// @param path path below the base URL, such as `/agent/runs`; ids in it must be percent-encoded
  public Call<JsonNode> get(String path) {
    return any("GET", path, null, Effect.SAFE);
  }

  /// Retried only if the failed attempt certainly had no effect.
  ///
  /// @param path path below the base URL; ids in it must be percent-encoded
  /// @param body any object that Jackson can write; null for none
  public Call<JsonNode> post(String path, @Nullable Object body) {
    return any("POST", path, body, Effect.NON_IDEMPOTENT);
  }

  /// @param path path below the base URL; ids in it must be percent-encoded
  /// @param body any object that Jackson can write; null for none
  public Call<JsonNode> put(String path, @Nullable Object body) {
    return any("PUT", path, body, Effect.IDEMPOTENT);
  }

  /// Retried only if the failed attempt certainly had no effect.
  ///
  /// @param path path below the base URL; ids in it must be percent-encoded
  /// @param body any object that Jackson can write; null for none
  public Call<JsonNode> patch(String path, @Nullable Object body) {
    return any("PATCH", path, body, Effect.NON_IDEMPOTENT);
  }

  /// @param path path below the base URL; ids in it must be percent-encoded
  public Call<JsonNode> delete(String path) {
    return any("DELETE", path, null, Effect.IDEMPOTENT);
  }

  /// Aborts pending requests and releases the connections, except those of an OkHttp client that
  /// the caller supplied. No thread of the client keeps the process alive, whether it is closed or
  /// not.
  @Override
  public void close() {
    context.transport().close();
  }

  private Call<JsonNode> any(String method, String path, @Nullable Object body, Effect effect) {
    return api.call(
        method + " " + path, method, context.urlOf(path), body, effect, Call.anything());
  }
}
