package dev.runnel.surface.kit;

import java.io.IOException;
import java.io.InterruptedIOException;
import okhttp3.Interceptor;
import okhttp3.Response;

/// Reports the interrupt of a thread that connects as an [InterruptedIOException]. OkHttp throws an
/// undeclared [InterruptedException] there, which no caller expects, and which would end the
/// caller's thread.
public final class InterruptedCalls implements Interceptor {
  @Override
  public Response intercept(Chain chain) throws IOException {
    try {
      return proceed(chain);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("interrupted while connecting").initCause(e);
    }
  }

  private static Response proceed(Chain chain) throws IOException, InterruptedException {
    return chain.proceed(chain.request());
  }
}
