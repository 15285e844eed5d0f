package dev.runnel.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Whether a process lives; one that is only waiting to be noticed by its parent does not.
public final class Living {
  private Living() {}

  public static boolean is(String pid) {
    try {
      var stat = Files.readString(Path.of("/proc", pid, "stat"));
      return !stat.substring(stat.lastIndexOf(')')).startsWith(") Z");
    } catch (IOException _) {
      return false;
    }
  }
}
