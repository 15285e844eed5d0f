package dev.runnel.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedactorTest {
  private static final String PEM =
      """
      -----BEGIN RSA PRIVATE KEY-----
      Proc-Type: 4,ENCRYPTED

      MIIEpAIBAAKCAQEA7c1Rr0u2MIIEpAIBAAKCAQEA7c1Rr0u2MIIEpAIBAAKCAQEA
      q83kd+/w==
      -----END RSA PRIVATE KEY-----\
      """;

  @Nested
  class ByValue {
    @Test
    void everySecretIsMaskedAtAnyPosition() {
      var redactor = Redactor.of(List.of("correct horse", "battery-staple", "battery-staple-2"));

      assertThat(redactor.redact("(correct horse)battery-staple-2,battery-staple/"))
          .isEqualTo("((redacted))(redacted),(redacted)/");
    }

    @Test
    void shortValuesAreIgnored() {
      assertThat(Redactor.of(List.of("main", "1234567", "")).redact("main is 1234567"))
          .isEqualTo("main is 1234567");
    }

    @Test
    void eachLineOfASecretIsMaskedAlone() {
      assertThat(Redactor.of(List.of("first-line\nsecond-line\n")).redact("a second-line"))
          .isEqualTo("a (redacted)");
      assertThat(Redactor.of(List.of("first-line\\nsecond-line")).redact("a second-line"))
          .isEqualTo("a (redacted)");
    }

    @Test
    void jsonEscapedSecretIsMasked() {
      assertThat(Redactor.of(List.of("pass\"word\\1")).redact("{\"a\":\"pass\\\"word\\\\1\"}"))
          .isEqualTo("{\"a\":\"(redacted)\"}");
    }

    @Test
    void moreSecretsCanBeAdded() {
      assertThat(
              Redactor.of(List.of("one-secret"))
                  .and(List.of("two-secret"))
                  .redact("two-secret, one-secret"))
          .isEqualTo("(redacted), (redacted)");
    }

    @Test
    void borderLinesOfAKeyAreNotMasked() {
      assertThat(Redactor.of(List.of(PEM)).redact("It begins with -----BEGIN RSA PUBLIC KEY-----"))
          .isEqualTo("It begins with -----BEGIN RSA PUBLIC KEY-----");
    }

    @Test
    void redactorDoesNotPrintItsSecrets() {
      assertThat(Redactor.of(List.of("battery-staple"))).hasToString("Redactor[1]");
    }
  }

  @Nested
  class ByShape {
    @ParameterizedTest
    @ValueSource(
        strings = {
          "xoxb-1234567890-abcdefghij",
          "xoxe.xoxp-1-Mi0yLTEyMzQ1Njc4",
          "xapp-1-A0123456789-123456-abcdef",
          "ghp_a1B2c3D4e5a1B2c3D4e5a1B2c3D4e5a1B2c3",
          "ghs_a1B2c3D4e5a1B2c3D4e5a1B2c3D4e5a1B2c3",
          "ghs_123456_eyJhbGciOiJSUzI1NiJ9aaaa.eyJpc3MiOiIxIn0.sig_nat-ure",
          "github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz0123456789",
          "glpat-a1B2c3D4e5a1B2c3D4e5",
          "lin_api_a1B2c3D4e5a1B2c3D4e5a1B2c3D4e5",
          "ATATT3xFfGF0a1B2c3D4e5a1B2c3D4e5=1A2B3C4D",
          "sk-ant-api03-a1B2c3D4e5-a1B2c3D4e5_a1B2c3D4e5",
          "sk-proj-a1B2c3D4e5a1B2c3D4e5a1B2c3D4e5",
          "rk-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
          "wk-0123456789abcdef0123456789abcdef0123456789abcdef",
          "AKIAIOSFODNN7EXAMPLE",
          "ASIAIOSFODNN7EXAMPLE",
          "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
        })
    void knownTokensAreMaskedInEverySurrounding(String token) {
      for (var around :
          List.of(
              "%s",
              "a %s b",
              "token=%s&x=1",
              "\"%s\"",
              "{\"a\":\"one\\n%s\\ntwo\"}",
              "`%s`.",
              "https://x:%s@host/a",
              "a%%3D%s%%26",
              "%s,%s",
              "(%s)")) {
        var text = around.replace("%%", "%").replace("%s", token);

        assertThat(Redactor.PATTERNS.redact(text))
            .isEqualTo(around.replace("%%", "%").replace("%s", "(redacted)"));
      }
    }

    /// As long as GitHub's tokens of installations, with signs from the beginning on.
    @Test
    void longTokenWithDotsAndDashesIsMaskedWhole() {
      for (var piece : List.of("a-B.c_9", "Z9-", "x.y-z_1.", "aaaaaaaaaaaaaaaa-1.")) {
        var token = "ghs_" + piece.repeat(520 / piece.length()) + "k4";

        assertThat(Redactor.PATTERNS.redact("token " + token + ", then"))
            .isEqualTo("token (redacted), then");
      }
    }

    @Test
    void tokenThatTheEndOfALineCutsIsMasked() {
      var token = "ghs_" + "a-B.c_9".repeat(74);
      var lines = Redactor.PATTERNS.lines();

      for (var length = 40; length < token.length(); length += 13) {
        assertThat(lines.next("cut " + token.substring(0, length)))
            .hasValueSatisfying(line -> assertThat(line).startsWith("cut (redacted)"))
            .hasValueSatisfying(line -> assertThat(line.length()).isLessThan(18));
      }
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "a task-force-for-every-desk-in-2024",
          "sk-fading-circle-of-many-small-dots",
          "ghp_ and xoxb- are what they begin with",
          "laughs_at_everything_that_is_long_enough",
          "ghs_names_of_functions_that_are_long_enough_to_be_one",
          "commit 0123456789abcdef0123456789abcdef01234567",
          "46939377-8c8d-407a-a8d1-abec2fcc1a5e",
          "MAKIAIOSFODNN7EXAMPLES",
          "eyJhbGciOiJIUzI1NiJ9 alone",
          "A PRIVATE KEY begins with -----BEGIN, a certificate with -----BEGIN CERTIFICATE-----",
        })
    void ordinaryTextIsKept(String text) {
      assertThat(Redactor.PATTERNS.redact(text)).isEqualTo(text);
    }
  }

  @Nested
  class OfAPrivateKey {
    @Test
    void privateKeyIsRemovedCompletely() {
      assertThat(Redactor.PATTERNS.redact("Here:\n" + PEM + "\nThat was it."))
          .isEqualTo("Here:\n(redacted)\nThat was it.");
    }

    @Test
    void privateKeyInSeparateLinesIsRemovedCompletely() {
      var lines = Redactor.PATTERNS.lines();

      assertThat(PEM.lines().flatMap(line -> lines.next(line).stream()))
          .containsExactly("(redacted)");
      assertThat(lines.next("Done")).contains("Done");
    }

    @Test
    void numberedQuotedOrCutPrivateKeyIsRemovedCompletely() {
      for (var sign : List.of("     7\t", "> ", "+", "-", "7:", "│ 7 │ ")) {
        var shown = PEM.lines().map(line -> sign + line).collect(Collectors.joining("\n"));

        assertThat(Redactor.PATTERNS.redact(shown)).as(sign).doesNotContain("MII", "q83", "KEY");
      }
      var cut = PEM.substring(0, PEM.indexOf("q83"));
      assertThat(Redactor.PATTERNS.redact(cut + "\nIt ends here."))
          .doesNotContain("MII")
          .endsWith("\nIt ends here.");
    }

    @Test
    void privateKeyInJsonIsRemovedCompletely() {
      var json = "{\"key\":\"" + PEM.replace("\n", "\\n") + "\",\"next\":1}";
      assertThat(Redactor.PATTERNS.redact(json)).isEqualTo("{\"key\":\"(redacted)\",\"next\":1}");

      var cut = "{\"key\":\"-----BEGIN PRIVATE KEY-----\\nMIIEpAIBAA\\nKCAQEA\",\"next\":1}";
      assertThat(Redactor.PATTERNS.redact(cut)).isEqualTo("{\"key\":\"(redacted)\",\"next\":1}");
    }

    @Test
    void textAboutAPrivateKeyIsKept() {
      var text = "A key begins with -----BEGIN PRIVATE KEY----- and goes on\nfor some lines.";

      assertThat(Redactor.PATTERNS.redact(text))
          .isEqualTo("A key begins with (redacted) and goes on\nfor some lines.");
    }
  }

  @Nested
  class AnyText {
    private static final List<String> PIECES =
        List.of(
            "xoxb-",
            "ghp_",
            "sk-",
            "eyJ",
            "AKIA",
            "k-",
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
            "-----",
            "a1B2c3D4e5a1B2c3D4e5",
            "0123456789abcdef",
            ".",
            "\\n",
            "\n",
            " ",
            "=",
            "%3D",
            "word",
            "émoji 🤷🏽‍♀️",
            "(redacted)",
            "secret-of-ours",
            "\r",
            "\"");

    @Test
    void redactionIsIdempotentAndLeavesNoSecret() {
      var redactor = Redactor.of(List.of("secret-of-ours"));
      for (var seed = 0; seed < 3_000; seed++) {
        var text = text(new Random(seed));

        var once = redactor.redact(text);

        assertThat(once).as("seed %d", seed).doesNotContain("secret-of-ours");
        assertThat(redactor.redact(once)).as("seed %d", seed).isEqualTo(once);
      }
    }

    @Test
    void tokenIsMaskedInAnySurroundingText() {
      var token = "ghp_" + "z9Y8x7W6v5".repeat(4);
      for (var seed = 0; seed < 3_000; seed++) {
        var random = new Random(seed);

        assertThat(Redactor.PATTERNS.redact(text(random) + token + text(random)))
            .as("seed %d", seed)
            .doesNotContain(token);
      }
    }

    private static String text(Random random) {
      return IntStream.range(0, random.nextInt(12))
          .mapToObj(_ -> PIECES.get(random.nextInt(PIECES.size())))
          .collect(Collectors.joining());
    }
  }

  /// One that grew with the square of the length would take minutes.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "sk-",
        "eyJ",
        "\\neyJ",
        "-eyJ",
        "eyJaaaaaaaaaa.",
        "ghp_",
        "ghs_1",
        "xoxb-",
        "xoxa.",
        "AKIA",
        "rk-",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n",
        "-----BEGIN ",
        "-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----a-----END ",
        "\n",
        " ",
        "1 ",
        "=.",
      })
  void redactionTimeIsLinearInTheTextLength(String piece) {
    var text = piece.repeat(1_000_000 / piece.length());
    var pem = "-----BEGIN PRIVATE KEY-----\n" + text;

    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(20),
        () -> Redactor.PATTERNS.redact(text) + Redactor.PATTERNS.redact(pem));
  }
}
