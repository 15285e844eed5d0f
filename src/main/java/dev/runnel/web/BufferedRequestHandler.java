package dev.runnel.web;

import dev.runnel.memory.RequestMemory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/// Handles a request whose whole body has arrived, on the thread that read it, so it must wait
/// neither for the database nor for a network.
@FunctionalInterface
public interface BufferedRequestHandler {
  /// @param memory of the request, valid until this returns
  /// @param callback completed after the response was written, on any thread
  void handle(
      Request request, byte[] body, RequestMemory memory, Response response, Callback callback);
}
