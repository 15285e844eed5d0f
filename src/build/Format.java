import com.google.googlejavaformat.java.Formatter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;

/// Checks that every Java file below a folder reads as google-java-format writes it, or writes it
/// so.
///
/// Arguments: `check` or `write`, then the folder.
class Format {
  public static void main(String[] args) throws Exception {
    var write = args[0].equals("write");
    var formatter = new Formatter();
    var off = new ArrayList<Path>();
    try (var files = Files.walk(Path.of(args[1]))) {
      for (var file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
        var source = Files.readString(file);
        var formatted = formatter.formatSourceAndFixImports(source);
        if (formatted.equals(source)) continue;
        off.add(file);
        if (write) Files.writeString(file, formatted);
      }
    }
    if (off.isEmpty()) return;
    off.forEach(file -> System.err.println((write ? "formatted " : "not formatted: ") + file));
    if (write) return;
    System.err.println("Run: mvn process-sources -Dformat=write");
    System.exit(1);
  }
}
