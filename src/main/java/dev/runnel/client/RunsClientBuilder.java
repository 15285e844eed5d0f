package dev.runnel.client;

import java.net.Proxy;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import okhttp3.ConnectionPool;
import okhttp3.Dispatcher;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/// Builds a [RunsClient]. The base URL and the key are required.
public final class RunsClientBuilder {
  private static final Pattern PRINTABLE = Pattern.compile("[\\x21-\\x7e]+");
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
  private static final int MAX_REQUESTS = 256;
  private static final String LOG_VARIABLE = "RUNNEL_CLIENT_LOG";
  private static final String URL_VARIABLE = "RUNNEL_AGENT_API_URL";
  private static final String KEY_VARIABLE = "RUNNEL_AGENT_API_KEY";

  private @Nullable HttpUrl baseUrl;
  private @Nullable String apiKey;
  private String creationPath = "run";
  private RequestOptions options = RequestOptions.DEFAULT;
  private UnaryOperator<OkHttpClient.Builder> http = UnaryOperator.identity();
  private final List<Consumer<Attempt>> observers = new ArrayList<>();
  private Executor executor = task -> Thread.ofVirtual().name("run-call").start(task);
  private final UnaryOperator<@Nullable String> environment;
  private LogLevel level;
  private Optional<OkHttpClient> httpClient = Optional.empty();
  private Time time = Time.SYSTEM;
  private RandomGenerator random = () -> ThreadLocalRandom.current().nextLong();

  RunsClientBuilder() {
    this(System::getenv);
  }

  /// @param environment returns environment variables by name, or null if not set
  RunsClientBuilder(UnaryOperator<@Nullable String> environment) {
    this.environment = environment;
    this.level =
        Optional.ofNullable(environment.apply(LOG_VARIABLE))
            .flatMap(LogLevel::of)
            .orElse(LogLevel.QUIET);
  }

  /// Reads base URL and key from the system properties `runnel.agentApiUrl` and
  /// `runnel.agentApiKey`, else from the variables `RUNNEL_AGENT_API_URL` and
  /// `RUNNEL_AGENT_API_KEY`. A value that is in neither is left unchanged; a setter called later
  /// wins.
  ///
  /// @throws IllegalArgumentException if a value is invalid
  public RunsClientBuilder fromEnvironment() {
    configured("runnel.agentApiUrl", URL_VARIABLE)
        .ifPresent(
            url -> {
              try {
                baseUrl(new URI(url));
              } catch (URISyntaxException | IllegalArgumentException wrong) {
                throw new IllegalArgumentException(
                    URL_VARIABLE + " must be http or https, without user, query and fragment",
                    null);
              }
            });
    configured("runnel.agentApiKey", KEY_VARIABLE).ifPresent(this::apiKey);
    return this;
  }

  private Optional<String> configured(String property, String variable) {
    return Optional.ofNullable(System.getProperty(property))
        .filter(value -> !value.isBlank())
        .or(() -> Optional.ofNullable(environment.apply(variable)))
        .map(String::strip)
        .filter(value -> !value.isEmpty());
  }

  /// @param baseUrl URL including `/api/v1`, with or without a trailing slash
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

  /// Creates runs by `/agent/runs` instead of `/agent/run`.
  public RunsClientBuilder createOnPluralPath() {
    creationPath = "runs";
    return this;
  }

  /// Sets the options of all requests; single requests can override them.
  ///
  /// @param change function from the current options to the new ones
  public RunsClientBuilder options(UnaryOperator<RequestOptions> change) {
    options = change.apply(options);
    return this;
  }

  /// @param deadline limit for a whole request: all attempts, waits and the body; default: 1 minute
  public RunsClientBuilder deadline(Duration deadline) {
    return options(it -> it.withDeadline(deadline));
  }

  /// @param maxRetries maximum number of attempts after the first; default: 2
  public RunsClientBuilder maxRetries(int maxRetries) {
    return options(it -> it.withMaxRetries(maxRetries));
  }

  /// Uses a proxy. Set up authentication to it by [#http].
  public RunsClientBuilder proxy(Proxy proxy) {
    return http(it -> it.proxy(proxy));
  }

  /// Configures OkHttp: TLS, proxy and its authenticator, interceptors, pool. OkHttp's timeouts
  /// (except the connect timeout), retries and redirects are not used.
  public RunsClientBuilder http(UnaryOperator<OkHttpClient.Builder> change) {
    var before = http;
    http = builder -> change.apply(before.apply(builder));
    return this;
  }

  /// Adds an observer that is called after every attempt, on the thread that makes it.
  public RunsClientBuilder onAttempt(Consumer<Attempt> observer) {
    observers.add(observer);
    return this;
  }

  /// Sets the executor of asynchronous calls, which the caller must close. Default: a virtual
  /// thread per call.
  public RunsClientBuilder executor(Executor executor) {
    this.executor = executor;
    return this;
  }

  /// @param level default: the value of the variable `RUNNEL_CLIENT_LOG`, else quiet
  public RunsClientBuilder log(LogLevel level) {
    this.level = level;
    return this;
  }

  /// Uses the pool, threads, proxy, TLS and interceptors of the given client, which the caller must
  /// close. Its timeouts (except the connect timeout), retries and redirects are not used.
  public RunsClientBuilder httpClient(OkHttpClient httpClient) {
    this.httpClient = Optional.of(httpClient);
    return this;
  }

  RunsClientBuilder time(Time time) {
    this.time = time;
    return this;
  }

  RunsClientBuilder random(RandomGenerator random) {
    this.random = random;
    return this;
  }

  /// @throws IllegalStateException if the base URL or the key is missing
  public RunsClient build() {
    if (baseUrl == null || apiKey == null) {
      throw new IllegalStateException(
          "A client needs "
              + Stream.of(
                      baseUrl == null ? "a base URL (" + URL_VARIABLE + ")" : "",
                      apiKey == null ? "an API key (" + KEY_VARIABLE + ")" : "")
                  .filter(missing -> !missing.isEmpty())
                  .collect(Collectors.joining(" and ")));
    }
    var observed = new LoggingTransport(okHttp(), level, time);
    var transport =
        new RetryingTransport(new RedirectingTransport(observed, time), time, random, observers);
    return new RunsClient(
        new ClientContext(baseUrl, creationPath, transport, executor, time),
        withDefaultHeaders(apiKey));
  }

  /// Adds the default headers, which options can override.
  private RequestOptions withDefaultHeaders(String apiKey) {
    var defaults =
        RequestOptions.DEFAULT
            .withHeader("Accept", "application/json, application/problem+json")
            .withHeader("Authorization", "Bearer " + apiKey)
            .withHeader("User-Agent", "runnel/" + version());
    var all = options;
    for (var header : defaults.headers().entrySet()) {
      if (!options.headers().containsKey(header.getKey())) {
        all = all.withHeader(header.getKey(), header.getValue().orElseThrow());
      }
    }
    return all;
  }

  /// Leaves out the key.
  @Override
  public String toString() {
    return "RunsClientBuilder[baseUrl=" + baseUrl + "]";
  }

  private Transport okHttp() {
    if (httpClient.isPresent()) {
      return new OkHttpTransport(http.apply(httpClient.get().newBuilder()).build(), time, () -> {});
    }
    var threads =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("run-service-", 0).factory());
    var dispatcher = new Dispatcher(threads);
    dispatcher.setMaxRequests(MAX_REQUESTS);
    dispatcher.setMaxRequestsPerHost(MAX_REQUESTS);
    var connections = new ConnectionPool();
    var client =
        http.apply(
                new OkHttpClient.Builder()
                    .dispatcher(dispatcher)
                    .connectionPool(connections)
                    .connectTimeout(CONNECT_TIMEOUT))
            .build();
    return new OkHttpTransport(
        client,
        time,
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
