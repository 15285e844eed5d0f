package dev.runnel.core.model.run;

import java.util.Locale;

/// A file that an agent handed over for the people who asked.
///
/// @param id identifies it at the run service
/// @param name the file name, without a folder: `checkout.png`
/// @param type the media type
/// @param size in bytes; 0 if unknown
/// @param digest the SHA-256 of the content in hexadecimal; empty if unknown
/// @param withheld whether the service withholds its content, because it contains a secret
public record RunFile(
    String id, String name, String type, long size, String digest, boolean withheld) {
  /// The file name extension in lower case, without the dot; empty if there is none.
  public String extension() {
    var dot = name.lastIndexOf('.');
    return dot < 0 ? "" : name.substring(dot + 1).toLowerCase(Locale.ROOT);
  }
}
