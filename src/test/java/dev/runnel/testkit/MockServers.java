package dev.runnel.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import javax.net.ServerSocketFactory;
import mockwebserver3.MockWebServer;

/// Mock servers that send each packet at once, as real servers do. By default a body waits until
/// the client acknowledges the headers, which the client's system delays by 40 ms.
public final class MockServers {
  private MockServers() {}

  /// One that is not started yet.
  public static MockWebServer create() {
    var server = new MockWebServer();
    server.setServerSocketFactory(new WithoutDelay());
    return server;
  }

  private static final class WithoutDelay extends ServerSocketFactory {
    @Override
    public ServerSocket createServerSocket() throws IOException {
      return new ServerSocket() {
        @Override
        public Socket accept() throws IOException {
          var socket = super.accept();
          socket.setTcpNoDelay(true);
          return socket;
        }
      };
    }

    @Override
    public ServerSocket createServerSocket(int port) {
      throw new UnsupportedOperationException();
    }

    @Override
    public ServerSocket createServerSocket(int port, int backlog) {
      throw new UnsupportedOperationException();
    }

    @Override
    public ServerSocket createServerSocket(int port, int backlog, InetAddress address) {
      throw new UnsupportedOperationException();
    }
  }
}
