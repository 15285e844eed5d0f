package dev.runnel.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.console.Access.Verdict;
import dev.runnel.console.Access.Visit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AccessTest {
  private static Visit from(String address, @Nullable String host) {
    return new Visit(address, host, false, null, null);
  }

  @Nested
  class WithoutAToken {
    private final Access access = new Access(null);

    @ParameterizedTest
    @CsvSource({
      "127.0.0.1, localhost:8080",
      "127.0.0.1, LOCALHOST",
      "127.0.0.1, 127.0.0.1:8080",
      "[0:0:0:0:0:0:0:1], [::1]:8080",
      "::1, localhost",
      "::ffff:127.0.0.1, localhost"
    })
    void thisMachineSeesThePages(String address, String host) {
      assertThat(access.of(from(address, host))).isEqualTo(Verdict.OPEN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.7", "192.168.1.20", "2001:db8::1", "nonsense", ""})
    void anotherMachineDoesNotWhateverHostItNames(String address) {
      assertThat(access.of(from(address, "localhost:8080"))).isEqualTo(Verdict.ONLY_HERE);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil:8080"})
    void aForeignNameThatPointsHereDoesNot(String host) {
      assertThat(access.of(from("127.0.0.1", host))).isEqualTo(Verdict.ONLY_HERE);
    }

    @Test
    void aVisitWithoutAHostDoesNot() {
      assertThat(access.of(from("127.0.0.1", null))).isEqualTo(Verdict.ONLY_HERE);
    }

    @Test
    void whatAProxyOnThisMachinePassesOnDoesNot() {
      var visit = new Visit("127.0.0.1", "localhost", true, null, null);
      assertThat(access.of(visit)).isEqualTo(Verdict.ONLY_HERE);
    }

    @Test
    void noTokenAndNoCookieOpensIt() {
      var visit = new Visit("10.0.0.7", "runnel.example", false, "", new Access(null).cookie());
      assertThat(access.of(visit)).isEqualTo(Verdict.ONLY_HERE);
    }
  }

  @Nested
  class WithAToken {
    private final Access access = new Access("sesame");

    private Visit remote(@Nullable String token, @Nullable String cookie) {
      return new Visit("10.0.0.7", "runnel.example", false, token, cookie);
    }

    @Test
    void theTokenIsTakenOnceForACookieAndTheCookieFromThenOn() {
      assertThat(access.of(remote("sesame", null))).isEqualTo(Verdict.ENTERED);
      assertThat(access.of(remote(null, access.cookie()))).isEqualTo(Verdict.OPEN);
    }

    @Test
    void theCookieDoesNotHoldTheToken() {
      assertThat(access.cookie()).doesNotContain("sesame");
    }

    @Test
    void anythingElseIsAskedForTheToken() {
      assertThat(access.of(remote(null, null))).isEqualTo(Verdict.TOKEN_NEEDED);
      assertThat(access.of(remote("Sesame", null))).isEqualTo(Verdict.TOKEN_NEEDED);
      assertThat(access.of(remote("", ""))).isEqualTo(Verdict.TOKEN_NEEDED);
      assertThat(access.of(remote(null, "sesame"))).isEqualTo(Verdict.TOKEN_NEEDED);
      assertThat(access.of(remote(null, new Access("other").cookie())))
          .isEqualTo(Verdict.TOKEN_NEEDED);
    }

    @Test
    void thisMachineNeedsNone() {
      assertThat(access.of(from("127.0.0.1", "localhost"))).isEqualTo(Verdict.OPEN);
    }

    @Test
    void anotherNodeWithTheSameTokenKnowsItsPagesAndCookies() {
      var other = new Access("sesame");
      assertThat(other.isPageKey(access.pageKey())).isTrue();
      assertThat(other.cookie()).isEqualTo(access.cookie());
    }
  }

  @Nested
  class PageKeys {
    private final Access access = new Access(null);

    @Test
    void eachPageHasItsOwn() {
      assertThat(access.pageKey()).isNotEqualTo(access.pageKey());
    }

    @Test
    void onlyOursAreBelieved() {
      var key = access.pageKey();
      assertThat(access.isPageKey(key)).isTrue();
      assertThat(access.isPageKey("x" + key)).isFalse();
      assertThat(access.isPageKey(key.substring(0, key.length() - 1))).isFalse();
      assertThat(access.isPageKey(new Access(null).pageKey())).isFalse();
      assertThat(access.isPageKey("")).isFalse();
      assertThat(access.isPageKey(".")).isFalse();
    }
  }
}
