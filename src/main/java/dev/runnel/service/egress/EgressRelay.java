package dev.runnel.service.egress;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/// A program inside an isolation without a network. It forwards connections on the loopback
/// interface to the [EgressProxy], since most programs cannot use a proxy on a Unix socket. It
/// makes no decisions, and depends on nothing but the JDK.
///
/// Services on the machine's loopback interface that the run may use are available at their own
/// ports, because programs do not use a proxy for them.
public final class EgressRelay {
  /// The port on the run's own loopback interface.
  public static final int PORT = 3128;

  private static final int MAX_HEAD = 8 * 1024;
  private static final long PAUSE_NANOS = 10_000_000;

  private EgressRelay() {}

  /// Closes its output when it listens.
  ///
  /// @param arguments the path of the proxy's socket, then services of the machine as `host:port`
  public static void main(String[] arguments) throws IOException {
    var proxy = UnixDomainSocketAddress.of(Path.of(arguments[0]));
    for (var service : Arrays.asList(arguments).subList(1, arguments.length)) {
      var port = Integer.parseInt(service.substring(service.lastIndexOf(':') + 1));
      var tunnel =
          "CONNECT %s HTTP/1.1\r\n\r\n".formatted(service).getBytes(StandardCharsets.US_ASCII);
      var server = new ServerSocket(port, 0, InetAddress.getLoopbackAddress());
      Thread.ofPlatform().start(() -> serve(server, proxy, tunnel));
    }
    var server = new ServerSocket(PORT, 0, InetAddress.getLoopbackAddress());
    System.out.close();
    serve(server, proxy, new byte[0]);
  }

  private static void serve(ServerSocket server, UnixDomainSocketAddress proxy, byte[] tunnel) {
    while (true) {
      try {
        var client = server.accept();
        Thread.ofVirtual().start(() -> relay(client, proxy, tunnel));
      } catch (Throwable _) {
        // The run has no file descriptor or no memory left. Without this thread it would have no
        // network at all.
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  static void relay(Socket client, UnixDomainSocketAddress address, byte[] tunnel) {
    try (client;
        var proxy = SocketChannel.open(address)) {
      if (tunnel.length > 0 && !openTunnel(proxy, tunnel)) {
        return;
      }
      var responses =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      Channels.newInputStream(proxy).transferTo(client.getOutputStream());
                      client.shutdownOutput();
                    } catch (Throwable _) {
                      // Otherwise the program would wait for a response that never comes.
                      close(client);
                    }
                  });
      client.getInputStream().transferTo(Channels.newOutputStream(proxy));
      proxy.shutdownOutput();
      responses.join();
    } catch (IOException _) {
      // One side has closed the connection.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static void close(Socket client) {
    try {
      client.close();
    } catch (IOException _) {
      // It is closed.
    }
  }

  /// Requests a tunnel from the proxy, and reads the response up to the blank line.
  private static boolean openTunnel(SocketChannel proxy, byte[] tunnel) throws IOException {
    Channels.newOutputStream(proxy).write(tunnel);
    var in = Channels.newInputStream(proxy);
    var head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      var next = in.read();
      if (next < 0 || head.length() > MAX_HEAD) {
        return false;
      }
      head.append((char) next);
    }
    return head.toString().startsWith("HTTP/1.1 200 ");
  }
}
