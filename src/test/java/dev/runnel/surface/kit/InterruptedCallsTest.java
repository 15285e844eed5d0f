package dev.runnel.surface.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.testkit.MockServers;
import java.io.InterruptedIOException;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.junit.jupiter.api.Test;

class InterruptedCallsTest {
  @Test
  void interruptedConnectThrowsAnIoExceptionAndKeepsTheInterrupt() throws Exception {
    try (var server = MockServers.create()) {
      server.start();
      var client = new OkHttpClient.Builder().addInterceptor(new InterruptedCalls()).build();
      var call = client.newCall(new Request.Builder().url(server.url("/")).build());

      Thread.currentThread().interrupt();
      try {
        assertThatThrownBy(call::execute).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
      } finally {
        Thread.interrupted();
      }
    }
  }
}
