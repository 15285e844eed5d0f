package dev.runnel.bench;

import dev.runnel.testkit.RunnelProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;

/// One look at a Runnel from outside.
///
/// @param second since the load began
/// @param heap KiB in use after the last collection that the soak asked for
/// @param waiting rows of inbox and outbox that are not done
/// @param latencies of the deliveries since the sample before
record SoakSample(
    long second,
    long rss,
    long heap,
    long threads,
    long files,
    long sockets,
    long waiting,
    long databases,
    Latencies latencies) {
  private static final Pattern TOTAL = Pattern.compile("(?m)^Total\\s+\\d+\\s+(\\d+)");

  static SoakSample take(long second, RunnelProcess runnel, long heap, Latencies latencies)
      throws IOException, InterruptedException {
    var status = status(runnel);
    long files = 0;
    long sockets = 0;
    try (var open = Files.list(Path.of("/proc/" + runnel.pid() + "/fd"))) {
      for (var file : open.toList()) {
        files++;
        if (target(file).startsWith("socket:")) {
          sockets++;
        }
      }
    }
    return new SoakSample(
        second,
        number(status, "VmRSS:"),
        heap,
        number(status, "Threads:"),
        files,
        sockets,
        runnel.metric("runnel_inbox_waiting") + runnel.metric("runnel_outbox_waiting"),
        databases(runnel.data()) / 1024,
        latencies);
  }

  /// The memory of the process now, in KiB.
  static long rss(RunnelProcess runnel) throws IOException {
    return number(status(runnel), "VmRSS:");
  }

  private static String status(RunnelProcess runnel) throws IOException {
    return Files.readString(Path.of("/proc/" + runnel.pid() + "/status"));
  }

  /// Collects, and says how many KiB of the heap are then in use. The histogram counts in the same
  /// pause; what is asked for a moment later has grown by what was allocated meanwhile.
  static long heapAfterCollection(RunnelProcess runnel) throws IOException, InterruptedException {
    var total = TOTAL.matcher(jcmd(runnel, "GC.class_histogram"));
    if (!total.find()) {
      throw new IOException("jcmd printed no histogram");
    }
    return Long.parseLong(total.group(1)) / 1024;
  }

  String line() {
    return String.format(
        Locale.ROOT,
        "%5d s  RSS %4d MiB  heap %4.1f MiB  threads %3d  files %3d  sockets %3d  waiting %3d"
            + "  databases %5.1f MiB  p50 %5.1f ms  p99 %6.1f ms  of %d",
        second,
        rss / 1024,
        heap / 1024.0,
        threads,
        files,
        sockets,
        waiting,
        databases / 1024.0,
        latencies.millis(0.5),
        latencies.millis(0.99),
        latencies.count());
  }

  private static String jcmd(RunnelProcess runnel, String command)
      throws IOException, InterruptedException {
    var process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(runnel.pid()),
                command)
            .redirectErrorStream(true)
            .start();
    var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(text);
    }
    return text;
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException closedMeanwhile) {
      return "";
    }
  }

  private static long databases(Path data) throws IOException {
    try (var files = Files.list(data)) {
      return files
          .filter(file -> file.getFileName().toString().contains(".db"))
          .mapToLong(file -> file.toFile().length())
          .sum();
    }
  }

  private static long number(String status, String name) {
    return status
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElse(0);
  }
}
