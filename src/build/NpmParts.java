import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Installs the npm parts that tests start as processes, as their lock files pin them, unless they
/// are installed already. Without `npm` it says so, and the tests that need them are skipped.
///
/// Arguments: the folders with a `package-lock.json`.
class NpmParts {
  public static void main(String[] folders) throws Exception {
    if (!hasNpm()) {
      System.err.println(
          "npm is not installed: the tests of emulators and real agents are skipped");
      return;
    }
    for (var folder : List.of(folders)) {
      install(Path.of(folder));
    }
  }

  private static boolean hasNpm() throws InterruptedException {
    try {
      return new ProcessBuilder("npm", "--version")
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException _) {
      return false;
    }
  }

  private static void install(Path folder) throws IOException, InterruptedException {
    var lock = Files.readString(folder.resolve("package-lock.json"));
    var installed = folder.resolve("node_modules/.installed");
    if (Files.exists(installed) && Files.readString(installed).equals(lock)) {
      return;
    }
    var status =
        new ProcessBuilder("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error")
            .directory(folder.toFile())
            .inheritIO()
            .start()
            .waitFor();
    if (status != 0) {
      System.err.println(
          "npm cannot install what is pinned in "
              + folder
              + ". Without npm on the PATH, the tests that need it are skipped.");
      System.exit(1);
    }
    Files.writeString(installed, lock);
  }
}
