package dev.runnel.core.model.run;

import java.util.Locale;

/// A file that an agent handed over for the people who asked.
///
/// @param id identifies it at the run service
/// @param name the file name, without a folder: `checkout.png`
/// @param type the media type
/// @param size in bytes; 0 if the service does not say
/// @param digest the SHA-256 of the content in hexadecimal; empty if the service does not say
/// @param withheld whether the service keeps its content, because it contains a secret
public record RunFile(
    String id, String name, String type, long size, String digest, boolean withheld) {
  /// The ending of the name in lower case, without the dot; empty if it has none.
  public String extension() {
    var dot = name.lastIndexOf('.');
    return dot < 0 ? "" : name.substring(dot + 1).toLowerCase(Locale.ROOT);
  }
}
