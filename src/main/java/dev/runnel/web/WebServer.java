package dev.runnel.web;

import dev.runnel.core.model.conversation.Reply;
import io.javalin.Javalin;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import jakarta.servlet.DispatcherType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.component.LifeCycle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The HTTP server, protected against overload: connections are limited, and so are the memory for
/// [bodies][BodyLimits] and the time that requests take to arrive. Requests run on virtual threads.
/// Health checks run on platform threads, so that they are answered even if no carrier thread is
/// free; so do small deliveries that have arrived completely, whose handlers do not block.
/// Readiness has few threads of its own, because its handler waits for the database and anybody may
/// ask.
public final class WebServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(WebServer.class);
  private static final int MAX_CONNECTIONS = 1_000;
  private static final int INPUT_BUFFER_BYTES = 16 * 1024;
  private static final Duration IDLE_WHEN_FULL = Duration.ofSeconds(5);

  /// The text of a larger delivery may take so long to parse that it would hold up other requests.
  private static final int MAX_DIRECT_BYTES = 16 * 1024;

  private static final int READINESS_THREADS = 4;

  private final Javalin javalin;
  private final BodyLimits limits;
  private final ExecutorService readiness;

  private WebServer(Javalin javalin, BodyLimits limits, ExecutorService readiness) {
    this.javalin = javalin;
    this.limits = limits;
    this.readiness = readiness;
  }

  /// @param port `0` for any free one
  /// @param largestBody maximum body size in bytes; routes may allow less
  /// @param direct handles `POST` requests by path, if their whole body has arrived; the route of
  ///   the path handles the others
  /// @throws io.javalin.util.JavalinBindException if the port cannot be bound
  public static WebServer start(
      String host,
      int port,
      long largestBody,
      RequestThreadPool threads,
      Map<String, BufferedRequestHandler> direct,
      Consumer<RoutesConfig> routes) {
    return start(host, port, largestBody, threads, direct, new BodyLimits(), routes);
  }

  static WebServer start(
      String host,
      int port,
      long largestBody,
      RequestThreadPool threads,
      Map<String, BufferedRequestHandler> direct,
      BodyLimits limits,
      Consumer<RoutesConfig> routes) {
    var readiness =
        Executors.newFixedThreadPool(
            READINESS_THREADS, Thread.ofPlatform().daemon().name("readiness").factory());
    var javalin =
        Javalin.create(
            config -> {
              config.startup.showJavalinBanner = false;
              config.startup.showOldJavalinVersionWarning = false;
              config.http.maxRequestSize = largestBody;
              config.jetty.threadPool = threads;
              config.jetty.modifyServer(
                  server -> {
                    server.setHandler(new ThreadSelector(Map.copyOf(direct), readiness));
                    var connections = new NetworkConnectionLimit(MAX_CONNECTIONS, server);
                    connections.setEndPointIdleTimeout(IDLE_WHEN_FULL.toMillis());
                    server.addBean(connections);
                    server.addBean(new HeaderTimeout(server, limits.timeout()));
                    server.addEventListener(new InputBuffers());
                  });
              // Deliveries hardly repeat a header, and looking up each costs more than parsing it.
              config.jetty.modifyHttpConfiguration(http -> http.setHeaderCacheSize(0));
              config.jetty.modifyServletContextHandler(
                  context -> {
                    var filter = new FilterHolder(limits);
                    filter.setAsyncSupported(true);
                    context.addFilter(filter, "/*", EnumSet.of(DispatcherType.REQUEST));
                  });
              config.routes.exception(IOException.class, WebServer::disconnected);
              config.routes.exception(Exception.class, WebServer::unexpected);
              routes.accept(config.routes);
            });
    var server = new WebServer(javalin, limits, readiness);
    try {
      javalin.start(host, port);
      return server;
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
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
  }

  /// Lets most deliveries arrive in one read.
  private static final class InputBuffers implements LifeCycle.Listener {
    @Override
    public void lifeCycleStarting(LifeCycle server) {
      for (var connector : ((Server) server).getConnectors()) {
        connector
            .getConnectionFactory(HttpConnectionFactory.class)
            .setInputBufferSize(INPUT_BUFFER_BYTES);
      }
    }
  }

  /// Chooses the thread of each request, and starts the virtual threads. Jetty's own virtual
  /// threads would also read the requests, so none would be read while all carrier threads are
  /// busy.
  private static final class ThreadSelector extends Handler.Wrapper {
    private final Map<String, BufferedRequestHandler> direct;
    private final Executor readiness;

    ThreadSelector(Map<String, BufferedRequestHandler> direct, Executor readiness) {
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
        readiness.execute(() -> passOn(request, response, callback));
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

    private static void handle(
        BufferedRequestHandler handler,
        Request request,
        byte[] body,
        Response response,
        Callback callback) {
      try {
        handler.handle(request, body, response, callback);
      } catch (RuntimeException | Error broken) {
        var path = Request.getPathInContext(request);
        send(unexpected(broken, request.getMethod(), path), response, callback);
      }
    }

    private void start(Request request, Response response, Callback callback) {
      var _ = Thread.ofVirtual().name("http").start(() -> passOn(request, response, callback));
    }

    private void passOn(Request request, Response response, Callback callback) {
      try {
        if (!super.handle(request, response, callback)) {
          Response.writeError(request, response, callback, 404);
        }
      } catch (Throwable broken) {
        Response.writeError(request, response, callback, broken);
      }
    }
  }
}
