package dev.runnel.client;

import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import okhttp3.ConnectionPool;
import okhttp3.Dispatcher;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/// Builds a [RunsClient]. Needed are the base URL and the key.
public final class RunsClientBuilder {
  private static final Pattern PRINTABLE = Pattern.compile("[\\x21-\\x7e]+");
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
  private static final int MAX_REQUESTS = 256;

  private @Nullable HttpUrl baseUrl;
  private @Nullable String apiKey;
  private String creationPath = "run";
  private Duration deadline = Duration.ofSeconds(60);
  private Duration attemptTimeout = Duration.ofSeconds(20);
  private int maxRetries = 2;
  private Optional<OkHttpClient> httpClient = Optional.empty();
  private InstantSource clock = InstantSource.system();
  private Sleeper sleeper = time -> Thread.sleep(time);
  private RandomGenerator chance = () -> ThreadLocalRandom.current().nextLong();

  RunsClientBuilder() {}

  /// @param baseUrl with `/api/v1`, with or without a slash at the end
  public RunsClientBuilder baseUrl(URI baseUrl) {
    var url = HttpUrl.get(baseUrl);
    if (url == null
        || !url.username().isEmpty()
        || !url.password().isEmpty()
        || url.query() != null
        || url.fragment() != null) {
      throw new IllegalArgumentException(
          "The base URL must be http or https, without user, query and fragment");
    }
    this.baseUrl = url.newBuilder().addPathSegment("").build();
    return this;
  }

  public RunsClientBuilder apiKey(String apiKey) {
    if (!PRINTABLE.matcher(apiKey).matches()) {
      throw new IllegalArgumentException(
          "The API key must be printable ASCII without spaces, and not empty");
    }
    this.apiKey = apiKey;
    return this;
  }

  /// Creates on `/agent/runs` instead of `/agent/run`.
  public RunsClientBuilder createOnPluralPath() {
    creationPath = "runs";
    return this;
  }

  /// @param deadline for a whole request: all attempts, waits and the body; a minute unless told
  public RunsClientBuilder deadline(Duration deadline) {
    RequestOptions.requirePositive(deadline);
    this.deadline = deadline;
    return this;
  }

  /// @param timeout after which one attempt of a request that may be repeated is given up; 20 s
  ///     unless told
  public RunsClientBuilder attemptTimeout(Duration timeout) {
    RequestOptions.requirePositive(timeout);
    attemptTimeout = timeout;
    return this;
  }

  /// @param maxRetries attempts after the first; 2 unless told
  public RunsClientBuilder maxRetries(int maxRetries) {
    RequestOptions.requireNotNegative(maxRetries);
    this.maxRetries = maxRetries;
    return this;
  }

  /// Uses the caller's pool, threads, proxy and TLS; it stays the caller's to close. Its timeouts
  /// (except for connecting), repeats and redirects are not used.
  public RunsClientBuilder httpClient(OkHttpClient httpClient) {
    this.httpClient = Optional.of(httpClient);
    return this;
  }

  RunsClientBuilder clock(InstantSource clock) {
    this.clock = clock;
    return this;
  }

  RunsClientBuilder sleeper(Sleeper sleeper) {
    this.sleeper = sleeper;
    return this;
  }

  RunsClientBuilder chance(RandomGenerator chance) {
    this.chance = chance;
    return this;
  }

  /// @throws IllegalStateException when the base URL or the key is missing
  public RunsClient build() {
    if (baseUrl == null || apiKey == null) {
      throw new IllegalStateException("A client needs a base URL and an API key");
    }
    var headers =
        Headers.of(
            "Accept", "application/json, application/problem+json",
            "Authorization", "Bearer " + apiKey,
            "User-Agent", "runnel/" + version());
    var transport =
        new RetryingTransport(new LoggingTransport(okHttp()), attemptTimeout, sleeper, chance);
    return new JsonRunsClient(baseUrl, creationPath, headers, deadline, maxRetries, transport);
  }

  /// Never the key.
  @Override
  public String toString() {
    return "RunsClientBuilder[baseUrl=" + baseUrl + "]";
  }

  private Transport okHttp() {
    if (httpClient.isPresent()) {
      return new OkHttpTransport(httpClient.get(), clock, () -> {});
    }
    var threads =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("run-service-", 0).factory());
    var dispatcher = new Dispatcher(threads);
    dispatcher.setMaxRequests(MAX_REQUESTS);
    dispatcher.setMaxRequestsPerHost(MAX_REQUESTS);
    var connections = new ConnectionPool();
    var client =
        new OkHttpClient.Builder()
            .dispatcher(dispatcher)
            .connectionPool(connections)
            .connectTimeout(CONNECT_TIMEOUT)
            .build();
    return new OkHttpTransport(
        client,
        clock,
        () -> {
          dispatcher.cancelAll();
          threads.shutdown();
          connections.evictAll();
        });
  }

  private static String version() {
    var version = RunsClientBuilder.class.getPackage().getImplementationVersion();
    return version == null ? "dev" : version;
  }
}
