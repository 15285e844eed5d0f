package dev.runnel.web;

import io.javalin.Javalin;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import jakarta.servlet.DispatcherType;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The HTTP server, protected against overload: connections are limited, and so are the memory for
/// [bodies][BodyLimits] and the time that requests take to arrive. Requests run on virtual threads.
/// Health checks run on platform threads, so that they are answered even if no carrier thread is
/// free; so do deliveries that have arrived completely, whose handlers do not block.
public final class WebServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(WebServer.class);
  private static final int MAX_CONNECTIONS = 1_000;
  private static final Duration IDLE_WHEN_FULL = Duration.ofSeconds(5);
  private static final int MAX_PLATFORM_THREADS = 32;
  private static final int MIN_PLATFORM_THREADS = 4;
  private static final int LINGERING_MS = 60_000;

  private final Javalin javalin;
  private final BodyLimits limits;

  private WebServer(Javalin javalin, BodyLimits limits) {
    this.javalin = javalin;
    this.limits = limits;
  }

  /// @param port `0` for any free one
  /// @param largestBody maximum body size in bytes; routes may allow less
  /// @param nonBlocking the paths whose `POST` handlers wait neither for the database nor for a
  ///   network
  /// @throws io.javalin.util.JavalinBindException if the port cannot be bound
  public static WebServer start(
      String host,
      int port,
      long largestBody,
      Set<String> nonBlocking,
      Consumer<RoutesConfig> routes) {
    return start(host, port, largestBody, nonBlocking, new BodyLimits(), routes);
  }

  static WebServer start(
      String host,
      int port,
      long largestBody,
      Set<String> nonBlocking,
      BodyLimits limits,
      Consumer<RoutesConfig> routes) {
    var javalin =
        Javalin.create(
            config -> {
              config.startup.showJavalinBanner = false;
              config.startup.showOldJavalinVersionWarning = false;
              config.http.maxRequestSize = largestBody;
              config.jetty.threadPool =
                  new QueuedThreadPool(MAX_PLATFORM_THREADS, MIN_PLATFORM_THREADS, LINGERING_MS);
              config.jetty.modifyServer(
                  server -> {
                    server.setHandler(new ThreadSelector(Set.copyOf(nonBlocking)));
                    var connections = new NetworkConnectionLimit(MAX_CONNECTIONS, server);
                    connections.setEndPointIdleTimeout(IDLE_WHEN_FULL.toMillis());
                    server.addBean(connections);
                    server.addBean(new HeaderTimeout(server, limits.timeout()));
                  });
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
    var server = new WebServer(javalin, limits);
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

  /// Responds with a short id that people can quote and operators find in the log.
  private static void unexpected(Exception broken, Context context) {
    var id = "%08x".formatted(ThreadLocalRandom.current().nextInt());
    log.error(
        "unexpected error method={} path={} error={}",
        context.method(),
        context.path(),
        id,
        broken);
    context
        .status(500)
        .contentType("text/plain; charset=utf-8")
        .result("Internal error. Try again, or tell your admin: error %s\n".formatted(id));
  }

  public int port() {
    return javalin.port();
  }

  @Override
  public void close() {
    javalin.stop();
    limits.close();
  }

  /// Chooses the thread of each request, and starts the virtual threads. Jetty's own virtual
  /// threads would also read the requests, so none would be read while all carrier threads are
  /// busy.
  private static final class ThreadSelector extends Handler.Wrapper {
    private final Set<String> nonBlocking;

    ThreadSelector(Set<String> nonBlocking) {
      this.nonBlocking = nonBlocking;
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
      if (Health.PROBES.contains(path)) {
        return super.handle(request, response, callback);
      }
      if (!nonBlocking.contains(path) || !HttpMethod.POST.is(request.getMethod())) {
        start(request, response, callback);
        return true;
      }
      var arrived = BufferedRequest.read(request, BodyLimits.FREE_BYTES);
      if (arrived.getAttribute(BufferedRequest.ATTRIBUTE) != null) {
        passOn(arrived, response, callback);
      } else {
        start(arrived, response, callback);
      }
      return true;
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
