package dev.runnel.service.egress;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/// A program inside an isolation without a network: it offers the [EgressProxy] on loopback, since
/// most programs cannot use a proxy on a Unix socket. It decides nothing, and depends on nothing
/// but the JDK.
public final class EgressRelay {
  /// Where it listens, on the loopback interface that only the run has.
  public static final int PORT = 3128;

  private EgressRelay() {}

  /// Prints a line when it listens.
  ///
  /// @param arguments the path of the proxy's socket
  public static void main(String[] arguments) throws IOException {
    var proxy = UnixDomainSocketAddress.of(Path.of(arguments[0]));
    try (var server = new ServerSocket(PORT, 0, InetAddress.getLoopbackAddress())) {
      System.out.println("ready");
      System.out.close();
      while (true) {
        var client = server.accept();
        Thread.ofVirtual().start(() -> relay(client, proxy));
      }
    }
  }

  private static void relay(Socket client, UnixDomainSocketAddress address) {
    try (client;
        var proxy = SocketChannel.open(address)) {
      var back =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      Channels.newInputStream(proxy).transferTo(client.getOutputStream());
                      client.shutdownOutput();
                    } catch (IOException _) {
                      // One side has closed the connection.
                    }
                  });
      client.getInputStream().transferTo(Channels.newOutputStream(proxy));
      proxy.shutdownOutput();
      back.join();
    } catch (IOException _) {
      // One side has closed the connection.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
