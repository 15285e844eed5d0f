package dev.runnel.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LinkLabelTest {
  @ParameterizedTest
  @CsvSource({
    "https://good.example/login, https://evil.example/login",
    "http://good.example, https://good.example.evil.example/",
    "see HTTPS://Good.example now, https://evil.example/",
    "www.good.example, https://evil.example/",
    "https://good.example, https://good.example@evil.example/",
    "https://good.example\\@x, https://evil.example/",
    "good.example/login, https://evil.example/",
    "good.com, https://evil.example/",
    "see Login.Good.com:8443, https://evil.example/",
    "good.com, https://good.com.evil.example/",
    "good.de, https://evil.example/",
    "good.co.uk, https://evil.example/",
    "good.shop, https://evil.example/",
    "sign in at good.bank, https://evil.example/",
    "good.xn--p1ai, https://evil.example/",
    "почта.рф, https://evil.example/",
    "good.md, https://evil.example/",
    "good.zip, https://evil.example/good.zip",
    "good.com, https://evil.example/good.com",
    "192.0.2.7, https://evil.example/",
    "192.0.2.7:8443, https://192.0.2.70/",
    "[2001:db8::7], https://evil.example/",
    "//good.example/login, https://evil.example/",
    "ftp://good.example/x, https://evil.example/",
  })
  void labelWithAnotherHostIsMisleading(String label, String target) {
    assertThat(LinkLabel.misleads(label, target)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "good\u200B.com",
        "go\u00ADod.com",
        "good.c\u2060om/login",
        "http\u200Ds://good.example",
        "good\uFE0F.com",
        "good\uFF0Ecom",
        "good\u2024com",
        "good\u3002com",
        "https\uFF1A//good.example",
        "https:\u2215\u2215good.example",
        "\u202Emoc.doog",
      })
  void labelWithLookalikeCharactersIsMisleading(String label) {
    assertThat(LinkLabel.misleads(label, "https://evil.example/")).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "the log, https://e.example/log",
    "README.md, https://e.example/README.md",
    "https://e.example, https://e.example/long/path",
    "https://www.e.example., https://e.example/x",
    "good.com, https://www.good.com/",
    "good.com/login, https://good.com/login?x=1",
    "src/main/App.java:12, https://e.example/App.java",
    "App.java, https://e.example/App.java",
    "v1.2/notes, https://e.example/",
    "ann.lee@good.com, https://e.example/ann",
    "https://E.example/a b, https://e.example:8443/a%20b",
    "docs // notes, https://e.example/",
    "192.0.2.7, https://192.0.2.7/",
    "[2001:db8::7], https://[2001:db8::7]/",
    "e.g. the log, https://e.example/",
    "release 1.2.3, https://e.example/",
    "Node.js, https://e.example/",
    "deploy.sh, https://e.example/deploy.sh",
    "go\u00ADod.com, https://good.com/",
  })
  void labelWithTheSameHostOrANameIsNotMisleading(String label, String target) {
    assertThat(LinkLabel.misleads(label, target)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a.", "a", "www.", "https://a.b ", "//a", "[::", "a.b@", "1."})
  void longLabelOfAnyShapeIsChecked(String part) {
    var label = part.repeat(1_000_000);

    assertThatNoException().isThrownBy(() -> LinkLabel.misleads(label, "https://evil.example/"));
  }
}
