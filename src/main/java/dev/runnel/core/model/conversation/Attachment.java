package dev.runnel.core.model.conversation;

/// A file that is sent with a prompt.
///
/// @param type the media type: `image/png`
/// @param base64 the content, Base64-encoded
public record Attachment(String name, String type, String base64) {
  /// Omits the content.
  @Override
  public String toString() {
    return "Attachment[" + name + ", " + type + "]";
  }
}
