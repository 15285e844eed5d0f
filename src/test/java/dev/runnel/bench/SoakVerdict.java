package dev.runnel.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/// Whether something grew. The first third warms up; over the rest a line is laid through each
/// quantity, and what it climbs from one end to the other is judged.
///
/// @param unacknowledged deliveries without a 200
/// @param drained whether all that was accepted was done in the end
record SoakVerdict(List<SoakSample> samples, long unacknowledged, boolean drained) {
  private static final double MIB = 1024;

  SoakVerdict {
    samples = List.copyOf(samples);
  }

  /// Five minutes a line; a sixth of a shorter soak.
  String table() {
    var size = Math.max(1, Math.min(30, samples.size() / 6));
    var text =
        new StringBuilder(
            "\n minutes      deliveries  p50 ms  p99 ms  RSS MiB  heap MiB  threads  files  sockets"
                + "  waiting  databases MiB\n");
    for (int from = 0; from < samples.size(); from += size) {
      var window = samples.subList(from, Math.min(from + size, samples.size()));
      var latencies = latencies(window);
      text.append(
          String.format(
              Locale.ROOT,
              " %4.1f - %4.1f  %10d  %6.1f  %6.1f  %7.0f  %8.1f  %7.0f  %5.0f  %7.0f  %7.0f "
                  + " %13.1f%n",
              (window.getFirst().second() - 10) / 60.0,
              window.getLast().second() / 60.0,
              latencies.count(),
              latencies.millis(0.5),
              latencies.millis(0.99),
              mean(window, SoakSample::rss) / MIB,
              mean(window, SoakSample::heap) / MIB,
              mean(window, SoakSample::threads),
              mean(window, SoakSample::files),
              mean(window, SoakSample::sockets),
              mean(window, SoakSample::waiting),
              window.getLast().databases() / MIB));
    }
    return text.toString();
  }

  private record Judgement(String text, boolean isGood) {}

  private List<Judgement> judged() {
    var judged = new ArrayList<Judgement>();
    judged.add(growth("heap after collection", "KiB", SoakSample::heap, 0.1, 4 * MIB));
    judged.add(growth("RSS", "KiB", SoakSample::rss, 0.1, 8 * MIB));
    judged.add(growth("threads", "", SoakSample::threads, 0.1, 4));
    judged.add(growth("open files", "", SoakSample::files, 0.1, 8));
    judged.add(growth("sockets", "", SoakSample::sockets, 0.1, 8));
    judged.add(growth("waiting", "", SoakSample::waiting, 0.2, 10));
    judged.add(latency());
    judged.add(new Judgement(unacknowledged + " not acknowledged", unacknowledged == 0));
    judged.add(new Judgement(drained ? "all done in the end" : "not all done", drained));
    return judged;
  }

  List<String> judgements() {
    return judged().stream()
        .map(each -> (each.isGood() ? "ok   " : "BAD  ") + each.text())
        .toList();
  }

  boolean isGood() {
    return judged().stream().allMatch(Judgement::isGood);
  }

  private List<SoakSample> warm() {
    return samples.subList(samples.size() / 3, samples.size());
  }

  /// @param part of the mean that it may climb, and
  /// @param more on top of that
  private Judgement growth(
      String name, String unit, ToDoubleFunction<SoakSample> value, double part, double more) {
    var climbs = climb(warm(), value);
    var mean = mean(warm(), value);
    var most = part * mean + more;
    return new Judgement(
        String.format(
            Locale.ROOT,
            "%s: %+.0f %s over %d s around %.0f (at most %.0f)",
            name,
            climbs,
            unit,
            warm().getLast().second() - warm().getFirst().second(),
            mean,
            most),
        climbs <= most);
  }

  /// What the line of least squares climbs from the first sample to the last.
  private static double climb(List<SoakSample> samples, ToDoubleFunction<SoakSample> value) {
    var time = mean(samples, SoakSample::second);
    var mean = mean(samples, value);
    double above = 0;
    double below = 0;
    for (var sample : samples) {
      above += (sample.second() - time) * (value.applyAsDouble(sample) - mean);
      below += (sample.second() - time) * (sample.second() - time);
    }
    return below == 0
        ? 0
        : above / below * (samples.getLast().second() - samples.getFirst().second());
  }

  private Judgement latency() {
    var half = warm().size() / 2;
    var before = latencies(warm().subList(0, half)).millis(0.99);
    var after = latencies(warm().subList(half, warm().size())).millis(0.99);
    return new Judgement(
        String.format(
            Locale.ROOT, "p99 of the acknowledgement: %.1f ms, later %.1f ms", before, after),
        after <= 2 * before + 20);
  }

  private static double mean(List<SoakSample> samples, ToDoubleFunction<SoakSample> value) {
    return samples.stream().mapToDouble(value).average().orElse(0);
  }

  private static Latencies latencies(List<SoakSample> samples) {
    return Latencies.all(samples.stream().map(SoakSample::latencies).toList());
  }
}
