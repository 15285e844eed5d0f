package dev.runnel.web;

import dev.runnel.core.model.conversation.Reply;
import dev.runnel.memory.Lease;
import dev.runnel.memory.MemoryBudget;
import dev.runnel.memory.Price;
import dev.runnel.threads.SupervisedThread;
import io.javalin.Javalin;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.eclipse.jetty.ee10.servlet.ErrorPageErrorHandler;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The HTTP server, protected against overload: [connections][ConnectionLimit] are limited, and so
/// are the memory for [requests and their bodies][BodyLimits] and the time that they take to
/// arrive. A body that is refused is not read to its end. Requests run on virtual threads. Health
/// checks run on platform threads, so that they are answered even if no carrier thread is free; so
/// do small deliveries that have arrived completely, whose handlers do not block. Readiness has few
/// threads of its own, because its handler waits for the database and anybody may ask.
public final class WebServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(WebServer.class);

  /// What a sender is told whose request is refused for now.
  static final String OVERLOADED = "The server is overloaded. Please send it again.\n";

  /// Seconds: what others hold is returned soon.
  static final String RETRY_AFTER = "1";

  private static final int INPUT_BUFFER_BYTES = 16 * 1024;

  /// Connections that arrive together must not wait for their sender to try again.
  private static final int BACKLOG = 1_024;

  /// How often Jetty reads on after a response to a request whose body was not read.
  private static final int MAX_READS_OF_UNREAD_BODY = 4;

  /// The text of a larger delivery may take so long to parse that it would hold up other requests.
  private static final int MAX_DIRECT_BYTES = 16 * 1024;

  private static final int READINESS_THREADS = 4;
  private static final int MAX_WAITING_FOR_READINESS = 256;

  private final Javalin javalin;
  private final BodyLimits limits;
  private final ExecutorService readiness;
  private final Lease directMemory;

  private WebServer(
      Javalin javalin, BodyLimits limits, ExecutorService readiness, Lease directMemory) {
    this.javalin = javalin;
    this.limits = limits;
    this.readiness = readiness;
    this.directMemory = directMemory;
  }

  /// With all of the memory of this process, and no proxy before it.
  ///
  /// @param largestBody maximum body size in bytes; routes may allow less
  public static WebServer start(
      String host,
      int port,
      long largestBody,
      RequestThreadPool threads,
      Map<String, BufferedRequestHandler> direct,
      Consumer<RoutesConfig> routes) {
    var limits = WebLimits.of(MemoryBudget.ofThisProcess(), TrustedProxies.NONE);
    return start(host, port, limits, _ -> largestBody, threads, direct, routes);
  }

  /// @param port `0` for any free one
  /// @param limits of all servers of the process
  /// @param largestBody the maximum size of a body by the path of the request, in bytes; routes may
  ///   allow less
  /// @param direct handles `POST` requests by path, if their whole body has arrived; the route of
  ///   the path handles the others
  /// @throws io.javalin.util.JavalinBindException if the port cannot be bound
  public static WebServer start(
      String host,
      int port,
      WebLimits limits,
      ToLongFunction<String> largestBody,
      RequestThreadPool threads,
      Map<String, BufferedRequestHandler> direct,
      Consumer<RoutesConfig> routes) {
    var bodies = new BodyLimits(limits, largestBody);
    return start(host, port, limits, bodies, threads, direct, routes);
  }

  static WebServer start(
      String host,
      int port,
      WebLimits limits,
      BodyLimits bodies,
      RequestThreadPool threads,
      Map<String, BufferedRequestHandler> direct,
      Consumer<RoutesConfig> routes) {
    var readiness =
        new ThreadPoolExecutor(
            READINESS_THREADS,
            READINESS_THREADS,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING_FOR_READINESS),
            SupervisedThread.daemons("readiness"));
    var directMemory =
        direct.isEmpty()
            ? Lease.NONE
            : limits
                .unproven()
                .tryTake(RequestThreadPool.MAX_THREADS * Price.parsed(MAX_DIRECT_BYTES))
                .orElseThrow(
                    () -> new IllegalStateException("No memory is left for small deliveries"));
    var javalin =
        Javalin.create(
            config -> {
              config.startup.showJavalinBanner = false;
              config.startup.showOldJavalinVersionWarning = false;
              // Each path has a limit of its own.
              config.http.maxRequestSize = Long.MAX_VALUE;
              config.jetty.threadPool = threads;
              config.jetty.addConnector(
                  (server, http) -> connector(server, http, host, port, limits));
              config.jetty.modifyServer(
                  server -> {
                    server.setHandler(new ThreadSelector(limits, Map.copyOf(direct), readiness));
                    server.addBean(new HeaderTimeout(server, bodies.timeout()));
                  });
              config.jetty.modifyHttpConfiguration(
                  http -> {
                    // Deliveries hardly repeat a header, and looking up each costs more than
                    // parsing it.
                    http.setHeaderCacheSize(0);
                    http.setInputBufferSize(INPUT_BUFFER_BYTES);
                    http.setMaxUnconsumedRequestContentReads(MAX_READS_OF_UNREAD_BODY);
                  });
              config.jetty.modifyServletContextHandler(
                  context -> {
                    var filter = new FilterHolder(bodies);
                    filter.setAsyncSupported(true);
                    context.addFilter(filter, "/*", EnumSet.of(DispatcherType.REQUEST));
                    var errors = new ErrorPageErrorHandler();
                    errors.setShowStacks(false);
                    context.setErrorHandler(errors);
                  });
              config.router.javaLangErrorHandler(WebServer::unexpected);
              config.routes.exception(IOException.class, WebServer::disconnected);
              config.routes.exception(Exception.class, WebServer::unexpected);
              routes.accept(config.routes);
            });
    var server = new WebServer(javalin, bodies, readiness, directMemory);
    try {
      javalin.start();
      return server;
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private static ServerConnector connector(
      Server server, HttpConfiguration http, String host, int port, WebLimits limits) {
    var connector =
        new ServerConnector(server, BoundedHttpConnection.factory(http, limits.heads()));
    connector.setHost(host);
    connector.setPort(port);
    connector.setAcceptQueueSize(BACKLOG);
    connector.addBean(limits.connections(), false);
    return connector;
  }

  /// The client closed the connection, which is not an error of the server.
  private static void disconnected(IOException gone, Context context) {
    log.debug("client disconnected path={} why={}", context.path(), gone.toString());
    context.status(400);
  }

  private static void unexpected(Exception broken, Context context) {
    var reply = unexpected(broken, context.method().name(), context.path());
    context.status(reply.status()).contentType(reply.contentType()).result(reply.body());
  }

  private static void unexpected(HttpServletResponse response, Error broken) {
    var reply = unexpected(broken, "", "");
    response.setStatus(reply.status());
    response.setContentType(reply.contentType());
    try {
      response.getOutputStream().write(reply.body().getBytes(StandardCharsets.UTF_8));
    } catch (IOException gone) {
      log.debug("client disconnected why={}", gone.toString());
    }
  }

  /// Responds with a short id that people can quote and operators find in the log.
  private static Reply unexpected(Throwable broken, String method, String path) {
    var id = "%08x".formatted(ThreadLocalRandom.current().nextInt());
    log.error("unexpected error method={} path={} error={}", method, path, id, broken);
    return Reply.text(
        500, "Internal error. Try again, or tell your admin: error %s\n".formatted(id));
  }

  /// Responds without the layers of the servlet API and of Javalin.
  static void send(Reply reply, Response response, Callback callback) {
    var body = reply.body().getBytes(StandardCharsets.UTF_8);
    response.setStatus(reply.status());
    if (!reply.contentType().isEmpty()) {
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, reply.contentType());
    }
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length);
    response.write(true, ByteBuffer.wrap(body), callback);
  }

  public int port() {
    return javalin.port();
  }

  @Override
  public void close() {
    javalin.stop();
    limits.close();
    readiness.shutdownNow();
    directMemory.close();
  }

  /// Chooses the thread of each request, and starts the virtual threads. Jetty's own virtual
  /// threads would also read the requests, so none would be read while all carrier threads are
  /// busy.
  private static final class ThreadSelector extends Handler.Wrapper {
    private final WebLimits limits;
    private final Map<String, BufferedRequestHandler> direct;
    private final Executor readiness;

    ThreadSelector(
        WebLimits limits, Map<String, BufferedRequestHandler> direct, Executor readiness) {
      this.limits = limits;
      this.direct = direct;
      this.readiness = readiness;
    }

    /// Lets the selector thread handle requests itself, because passing a request to another thread
    /// would cost as much as the request.
    @Override
    public InvocationType getInvocationType() {
      return InvocationType.NON_BLOCKING;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
      var path = Request.getPathInContext(request);
      if (Health.LIVENESS.equals(path)) {
        return super.handle(request, response, callback);
      }
      if (Health.READINESS.equals(path) || Health.DELIVERY_READINESS.equals(path)) {
        ready(request, response, callback);
        return true;
      }
      var handler = direct.get(path);
      if (handler == null
          || !HttpMethod.POST.is(request.getMethod())
          // Routes are not found by other ways to write their path either, such as /a/../b or /b;c.
          || !path.equals(request.getHttpURI().getPath())) {
        start(request, response, callback);
        return true;
      }
      var arrived = BufferedRequest.read(request, MAX_DIRECT_BYTES);
      BufferedRequest.body(arrived)
          .ifPresentOrElse(
              body -> handle(handler, arrived, body, response, callback),
              () -> start(arrived, response, callback));
      return true;
    }

    private void handle(
        BufferedRequestHandler handler,
        Request request,
        byte[] body,
        Response response,
        Callback callback) {
      try (var memory = new DirectMemory(limits, request, body.length)) {
        handler.handle(request, body, memory, response, callback);
      } catch (RuntimeException | Error broken) {
        fail(broken, request, response, callback);
      }
    }

    private void ready(Request request, Response response, Callback callback) {
      try {
        readiness.execute(() -> passOn(request, response, callback));
      } catch (RejectedExecutionException tooMany) {
        response.getHeaders().put(HttpHeader.RETRY_AFTER, RETRY_AFTER);
        send(Reply.text(503, OVERLOADED), response, callback);
      }
    }

    private void start(Request request, Response response, Callback callback) {
      var checked = UnreadBody.check(request, response);
      var _ = SupervisedThread.virtual("http", () -> passOn(request, checked, callback), _ -> {});
    }

    private void passOn(Request request, Response response, Callback callback) {
      try {
        if (!super.handle(request, response, callback)) {
          Response.writeError(request, response, callback, 404);
        }
      } catch (Throwable broken) {
        fail(broken, request, response, callback);
      }
    }

    /// Never shows the error to the sender, and never leaves it out of the log.
    private static void fail(
        Throwable broken, Request request, Response response, Callback callback) {
      var reply = unexpected(broken, request.getMethod(), Request.getPathInContext(request));
      if (response.isCommitted()) {
        callback.failed(broken);
      } else {
        response.reset();
        send(reply, response, callback);
      }
    }
  }
}
