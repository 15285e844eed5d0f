package dev.runnel.core.model;

/// A file that goes along with a prompt.
///
/// @param type its media type: `image/png`
/// @param base64 its bytes
public record Attachment(String name, String type, String base64) {
  /// Without what is in it.
  @Override
  public String toString() {
    return "Attachment[" + name + ", " + type + "]";
  }
}
