import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.tools.Diagnostic;
import javax.tools.ToolProvider;

/// Checks every Java file below some folders with Error Prone and NullAway, the folders side by
/// side. Prints what they find; the process then ends with status 1.
///
/// The class path has the two checkers, the compiled classes, and what those need.
///
/// Arguments: the folders.
class Check {
  private static final String PATH = System.getProperty("java.class.path");

  private static final List<String> OPTIONS =
      List.of(
          "-proc:none",
          "-Xlint:none",
          "-parameters",
          "-XDcompilePolicy=simple",
          "--should-stop=ifError=FLOW",
          "-XDaddTypeAnnotationsToSymbol=true",
          String.join(
              " ",
              "-Xplugin:ErrorProne",
              "-XepAllErrorsAsWarnings",
              "-Xep:MissingSummary:OFF",
              "-Xep:NullAway:ERROR",
              "-XepOpt:NullAway:OnlyNullMarked=true",
              "-XepOpt:NullAway:JSpecifyMode=true",
              "-XepOpt:NullAway:ExcludedFieldAnnotations=org.junit.jupiter.api.io.TempDir,org.mockito.Mock"),
          "-classpath",
          PATH,
          "-processorpath",
          PATH);

  public static void main(String[] args) throws Exception {
    int found = 0;
    try (var threads = Executors.newFixedThreadPool(args.length)) {
      var checks = List.of(args).stream().<Callable<Integer>>map(folder -> () -> check(folder));
      for (var each : threads.invokeAll(checks.toList())) found += each.get();
    }
    System.exit(found == 0 ? 0 : 1);
  }

  /// The number of findings.
  private static int check(String folder) throws IOException {
    var compiler = ToolProvider.getSystemJavaCompiler();
    var found = new AtomicInteger();
    try (var all = Files.walk(Path.of(folder));
        var manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      var sources = all.filter(each -> each.toString().endsWith(".java")).toList();
      var task =
          compiler.getTask(
              null,
              manager,
              finding -> {
                if (finding.getKind() != Diagnostic.Kind.NOTE) {
                  found.incrementAndGet();
                  System.err.println(finding);
                }
              },
              OPTIONS,
              null,
              manager.getJavaFileObjectsFromPaths(sources));
      ((JavacTask) task).analyze();
    }
    return found.get();
  }
}
