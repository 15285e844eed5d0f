import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Checks that every Java file below a folder reads as google-java-format writes it, or writes it
/// so.
///
/// Arguments: `check` or `write`, then the folder.
class Format {
  public static void main(String[] args) throws Exception {
    var write = args[0].equals("write");
    List<Path> sources;
    try (var files = Files.walk(Path.of(args[1]))) {
      sources = files.filter(each -> each.toString().endsWith(".java")).toList();
    }
    var off = sources.parallelStream().filter(file -> isOff(file, write)).toList();
    if (off.isEmpty()) return;
    off.forEach(file -> System.err.println((write ? "formatted " : "not formatted: ") + file));
    if (write) return;
    System.err.println("Run: scripts/format");
    System.exit(1);
  }

  private static boolean isOff(Path file, boolean write) {
    try {
      var source = Files.readString(file);
      var formatted = new Formatter().formatSourceAndFixImports(source);
      if (formatted.equals(source)) return false;
      if (write) Files.writeString(file, formatted);
      return true;
    } catch (IOException | FormatterException e) {
      throw new IllegalStateException(file.toString(), e);
    }
  }
}
