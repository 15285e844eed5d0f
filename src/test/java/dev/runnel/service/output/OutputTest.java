package dev.runnel.service.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.service.isolation.LineReader;
import dev.runnel.service.run.Title;
import dev.runnel.testkit.TextSink;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class OutputTest {
  @Nested
  class Lines {
    @Test
    void linesEndAtANewlineOrTheEndOfTheStream() throws Exception {
      assertThat(lines("one\r\n\ntwö\nthree")).containsExactly("one", "", "twö", "three");
      assertThat(lines("")).isEmpty();
    }

    @Test
    void linesAreTruncatedAt64KiB() throws Exception {
      var lines = lines("é".repeat(100_000) + "\nnext\n");

      assertThat(lines).hasSize(2);
      assertThat(lines.getFirst()).isEqualTo("é".repeat(LineReader.MAX / 2) + "…");
      assertThat(lines.getLast()).isEqualTo("next");
    }

    private static List<String> lines(String text) throws Exception {
      return TextSink.lines(
          new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), LineReader.MAX);
    }
  }

  @Nested
  class TheLastParagraph {
    @Test
    void lastParagraphFollowsTheLastBlankLine() {
      assertThat(of("first", "", "second", "and more", "", " ")).isEqualTo("second\nand more");
      assertThat(of()).isEmpty();
    }

    @Test
    void lastParagraphIsBounded() {
      var lines = new String[100];
      Arrays.fill(lines, "x".repeat(1000));

      assertThat(of(lines).length()).isLessThan(33 * 1024);
    }

    private static String of(String... lines) {
      var paragraph = new LastParagraph();
      for (var line : lines) {
        paragraph.add(line);
      }
      return paragraph.text();
    }
  }

  @Nested
  class PullRequestAddresses {
    @Test
    void pullRequestAddressesAreFoundOnAnyHost() {
      assertThat(
              PullRequests.in(
                  """
                  See https://github.com/o/r/pull/12, and (https://git.example.org:3000/o/r/pulls/3).
                  https://gitlab.com/group/sub/project/-/merge_requests/7 is done
                  again https://github.com/o/r/pull/12/files
                  """))
          .containsExactly(
              "https://github.com/o/r/pull/12",
              "https://git.example.org:3000/o/r/pulls/3",
              "https://gitlab.com/group/sub/project/-/merge_requests/7");
    }

    @Test
    void pullRequestAddressesAreFoundOnAzureDevOpsAndBitbucket() {
      assertThat(
              PullRequests.in(
                  """
                  https://dev.azure.com/acme/My%20Shop/_git/cart/pullrequest/3?_a=files
                  https://acme.visualstudio.com/_git/shop/pullrequest/4.
                  https://bitbucket.org/acme/shop/pull-requests/5/diff
                  https://git.example.org/projects/SHOP/repos/cart/pull-requests/6/overview
                  https://git.example.org/users/ann/repos/cart/pull-requests/7
                  """))
          .containsExactly(
              "https://dev.azure.com/acme/My%20Shop/_git/cart/pullrequest/3",
              "https://acme.visualstudio.com/_git/shop/pullrequest/4",
              "https://bitbucket.org/acme/shop/pull-requests/5",
              "https://git.example.org/projects/SHOP/repos/cart/pull-requests/6",
              "https://git.example.org/users/ann/repos/cart/pull-requests/7");
    }

    @Test
    void addressOfThousandsOfFoldersIsNoPullRequestAndDoesNoHarm() throws Exception {
      var folders = "https://h/" + "a/".repeat(1_000);
      var text = (folders + "x ").repeat(100) + folders + " https://github.com/o/r/pull/12";

      assertThat(onSmallStack(() -> PullRequests.in(text)))
          .containsExactly("https://github.com/o/r/pull/12");
    }

    @Test
    void longTextIsReadInOnePass() throws Exception {
      for (var piece :
          List.of("http", "https://", "https://h/a/", "https://h/a/b/pull/", "a/", ":")) {
        var text = new CountingText(piece.repeat(1_000_000 / piece.length()));

        onSmallStack(() -> PullRequests.in(text));

        assertThat(text.reads).as(piece).isLessThan(40L * text.length());
      }
    }

    @Test
    void addressWithinAnotherAddressIsFound() {
      assertThat(PullRequests.in("https://web.test/web/2026/a/b/https://github.com/o/r/pull/1"))
          .containsExactly("https://github.com/o/r/pull/1");
    }

    private static <T> T onSmallStack(Callable<T> work) throws Exception {
      var task = new FutureTask<>(work);
      new Thread(null, task, "small stack", 128 * 1024).start();
      return task.get();
    }

    /// Counts how often it is read.
    private static final class CountingText implements CharSequence {
      private final String text;
      private long reads;

      CountingText(String text) {
        this.text = text;
      }

      @Override
      public int length() {
        return text.length();
      }

      @Override
      public char charAt(int index) {
        reads++;
        return text.charAt(index);
      }

      @Override
      public CharSequence subSequence(int start, int end) {
        return text.substring(start, end);
      }

      @Override
      public String toString() {
        return text;
      }
    }

    @Test
    void otherAddressesAreNotPullRequests() {
      assertThat(
              PullRequests.in(
                  "https://github.com/o/r/issues/1 https://github.com/o/r/pull/new-branch"
                      + " https://api.github.com/repos/o/r/pulls/1"
                      + " https://git.example.org/rest/api/1.0/projects/P/repos/r/pull-requests/1"
                      + " https://bitbucket.org/acme/shop/pull-requests/new"))
          .isEmpty();
    }
  }

  @Nested
  class Titles {
    @Test
    void titleIsTheBeginningOfThePrompt() {
      assertThat(Title.of("\n  fix   the test \nplease")).isEqualTo("fix the test");
      assertThat(Title.of("word ".repeat(30))).isEqualTo("word ".repeat(12).strip() + "…");
      assertThat(Title.of("😀".repeat(100))).isEqualTo("😀".repeat(30) + "…");
      assertThat(Title.of(" ")).isEqualTo("Untitled");
    }
  }
}
