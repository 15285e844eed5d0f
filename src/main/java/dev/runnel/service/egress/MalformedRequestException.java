package dev.runnel.service.egress;

/// A request that servers could read differently from the proxy, or that is no HTTP/1 request.
final class MalformedRequestException extends Exception {
  private static final long serialVersionUID = 1;

  /// @param why a sentence for whoever wrote the request
  MalformedRequestException(String why) {
    super(why);
  }

  String why() {
    return String.valueOf(getMessage());
  }
}
