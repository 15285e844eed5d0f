package dev.runnel.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.client.HttpRequest.Effect;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A client of the Agent Run API. Its methods describe a [Call]; sending it blocks, or answers a
/// future. Safe for many threads; one client an application is enough.
///
/// All that the service or the network does is a [RunsException]. Reading, and what may be done
/// twice without harm, is repeated when that may help; creating is repeated only when it
/// certainly had no effect.
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

  /// A builder that was told what the environment says: [RunsClientBuilder#fromEnvironment].
  public static RunsClientBuilder fromEnvironment() {
    return builder().fromEnvironment();
  }

  /// A client with other options that shares the connections of this one, and is closed with it.
  ///
  /// @param change from the options so far
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

  /// Any address of the service, also one that this version does not know. An answer without a body
  /// is a missing node.
  ///
  /// @param path below the base URL, such as `/agent/runs`; ids in it percent-encoded
  public Call<JsonNode> get(String path) {
    return any("GET", path, null, Effect.SAFE);
  }

  /// Repeated only when it certainly had no effect.
  ///
  /// @param path below the base URL; ids in it percent-encoded
  /// @param body anything Jackson writes; null for none
  public Call<JsonNode> post(String path, @Nullable Object body) {
    return any("POST", path, body, Effect.NON_IDEMPOTENT);
  }

  /// @param path below the base URL; ids in it percent-encoded
  /// @param body anything Jackson writes; null for none
  public Call<JsonNode> put(String path, @Nullable Object body) {
    return any("PUT", path, body, Effect.IDEMPOTENT);
  }

  /// Repeated only when it certainly had no effect.
  ///
  /// @param path below the base URL; ids in it percent-encoded
  /// @param body anything Jackson writes; null for none
  public Call<JsonNode> patch(String path, @Nullable Object body) {
    return any("PATCH", path, body, Effect.NON_IDEMPOTENT);
  }

  /// @param path below the base URL; ids in it percent-encoded
  public Call<JsonNode> delete(String path) {
    return any("DELETE", path, null, Effect.IDEMPOTENT);
  }

  /// Ends what is under way and lets go of the connections; those of a client of the caller's are
  /// left alone. No thread of a client keeps the process alive, closed or not.
  @Override
  public void close() {
    context.transport().close();
  }

  private Call<JsonNode> any(String method, String path, @Nullable Object body, Effect effect) {
    return api.call(
        method + " " + path, method, context.urlOf(path), body, effect, Call.anything());
  }
}
