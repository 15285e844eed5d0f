package dev.runnel.service.egress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EgressRelayTest {
  private static final int MAX_WAIT_MILLIS = 10_000;

  @Test
  void connectionClosedByTheProxyEndsForTheProgram(@TempDir Path folder) throws Exception {
    var address = UnixDomainSocketAddress.of(folder.resolve("proxy"));
    try (var proxy = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address);
        var relay = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var program = new Socket(relay.getInetAddress(), relay.getLocalPort())) {
      program.setSoTimeout(MAX_WAIT_MILLIS);
      var client = relay.accept();
      var relaying =
          Thread.ofVirtual().start(() -> EgressRelay.relay(client, address, new byte[0]));
      program.getOutputStream().write("GET /".getBytes(StandardCharsets.US_ASCII));
      var broken = proxy.accept();
      // Closed with an unread byte, it resets the connection.
      broken.read(ByteBuffer.allocate(1));
      broken.close();

      assertThat(isOver(program)).isTrue();
      relaying.join();
    }
  }

  @Test
  void errorWhileResponsesAreCopiedEndsTheConnection(@TempDir Path folder) throws Exception {
    var address = UnixDomainSocketAddress.of(folder.resolve("proxy"));
    try (var proxy = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address);
        var listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var client = new BrokenSocket(listening.getInetAddress(), listening.getLocalPort());
        var program = listening.accept()) {
      program.setSoTimeout(MAX_WAIT_MILLIS);
      var relaying =
          Thread.ofVirtual().start(() -> EgressRelay.relay(client, address, new byte[0]));
      try (var answering = proxy.accept()) {
        answering.write(ByteBuffer.wrap(new byte[1]));

        assertThat(isOver(program)).isTrue();
        relaying.join();
      }
    }
  }

  private static final class BrokenSocket extends Socket {
    BrokenSocket(InetAddress address, int port) throws IOException {
      super(address, port);
    }

    @Override
    public OutputStream getOutputStream() {
      return new OutputStream() {
        @Override
        public void write(int one) {
          throw new StackOverflowError();
        }
      };
    }
  }

  private static boolean isOver(Socket program) throws IOException {
    try {
      return program.getInputStream().read() < 0;
    } catch (SocketException reset) {
      return true;
    }
  }
}
