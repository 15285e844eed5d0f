package dev.runnel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Checks that a parser of text from strangers takes time in proportion to its length, and little
/// stack: for four times the text at most eight times the processor's time. Shapes that make
/// parsers slow are tried: signs that open something and are never closed, alone and together.
public final class ParserSpeed {
  private static final int SHORT = 16 * 1024;
  private static final int LONG = 64 * 1024;
  private static final int MAX_RATIO = 8;
  private static final int TRIES = 6;
  private static final long STACK = 256 * 1024;

  /// Below this, in nanoseconds, the time says nothing.
  private static final long NOISE = 40_000_000;

  private static final List<String> UNITS =
      List.of(
          "a",
          " ",
          "\n",
          "a\n",
          "a\n\n",
          "a.",
          "a/",
          "\u00e9",
          "\u200b",
          "\ud83d\ude00",
          "[",
          "![",
          "]",
          "[a](b)",
          "[a](",
          "[a](<b",
          "[a](b \"",
          "[a][",
          "[a]: b\n",
          "[a]: ",
          "[x] ",
          "(",
          "`",
          "` ``",
          "```\n",
          "~~~\n",
          "~~a",
          "*",
          "*a_",
          "**a",
          "*a **a ",
          "_a",
          "<",
          "<!--",
          "<!",
          "<?",
          "<![CDATA[",
          "<a ",
          "<a b='",
          "<b>",
          "</b>",
          "<b>\n",
          "<p>",
          "<div>\n\n",
          "<table><td>",
          "<li>",
          "<a><p>",
          "<b a=1 ",
          ">",
          "> ",
          "> a\n",
          ">>>>a\n",
          "- ",
          "- a\n",
          "  - a\n",
          "1. a\n",
          "* ",
          "|",
          "|a|b|\n",
          "a|b\n-|-\n",
          "&",
          "&a;",
          "&#1;",
          "\\",
          "http://",
          "https://a.b/",
          "www.a.b ",
          "a@b.c ",
          "@",
          "@a ",
          "@agent ",
          "/agent\n",
          "# a\n",
          "===\n",
          "---\n",
          "    a\n",
          "<@U1>",
          "<!here>",
          "<http://a|b>",
          "{code}",
          "{code:a}x",
          "{quote}",
          "{{a",
          "[~a",
          "[a|http://b",
          "h1. ",
          "bq. ",
          "\r\n",
          "\u001b[1m",
          "\u001b[9C",
          "\b",
          "\r",
          "--env a ",
          "env=a ",
          "stop ",
          "please ",
          "every day ",
          "'",
          "\"",
          "ghs_",
          "eyJ",
          "xoxb-",
          "-----BEGIN PRIVATE KEY-----",
          "$",
          "%",
          "=",
          "#1 ");

  private static final List<String> BEFORE = List.of("[", "![", "*a ", "> ", "<!--", "`", "{code}");

  private ParserSpeed() {}

  private record Shape(String beginning, String unit) {
    String text(int length) {
      var half = beginning.isEmpty() ? length : length / 2;
      return beginning.repeat(beginning.isEmpty() ? 0 : half / beginning.length())
          + unit.repeat(half / unit.length());
    }

    @Override
    public String toString() {
      return (beginning.isEmpty() ? "" : "many " + beginning + ", then ") + "many " + unit;
    }
  }

  /// Fails with the shapes that take too long or too much stack.
  public static void assertLinear(Consumer<String> parser) throws InterruptedException {
    assertLinear("", parser);
  }

  /// @param lead the beginning of each text
  public static void assertLinear(String lead, Consumer<String> parser)
      throws InterruptedException {
    var slow = new ArrayList<String>();
    var thread =
        new Thread(
            null,
            () -> shapes().forEach(shape -> check(lead, shape, parser, slow)),
            "parser",
            STACK);
    thread.start();
    thread.join();

    assertThat(slow).isEmpty();
  }

  private static Stream<Shape> shapes() {
    return Stream.concat(
        UNITS.stream().map(unit -> new Shape("", unit)),
        BEFORE.stream().flatMap(first -> UNITS.stream().map(unit -> new Shape(first, unit))));
  }

  private static void check(String lead, Shape shape, Consumer<String> parser, List<String> slow) {
    try {
      var part = lead + shape.text(SHORT);
      // Quadratic time would be a hundred times longer.
      if (time(part, parser) < NOISE / 10) {
        return;
      }
      var text = lead + shape.text(LONG);
      var few = IntStream.range(0, TRIES).mapToLong(_ -> time(part, parser)).min().orElse(0);
      var much = IntStream.range(0, TRIES).mapToLong(_ -> time(text, parser)).min().orElse(0);
      if (much > NOISE && much > MAX_RATIO * few) {
        slow.add(shape + ": " + few / 1_000_000 + " ms, " + much / 1_000_000 + " ms");
      }
    } catch (StackOverflowError e) {
      slow.add(shape + ": " + e.getClass().getSimpleName());
    }
  }

  private static long time(String text, Consumer<String> parser) {
    var threads = ManagementFactory.getThreadMXBean();
    var start = threads.getCurrentThreadCpuTime();
    parser.accept(text);
    return threads.getCurrentThreadCpuTime() - start;
  }
}
