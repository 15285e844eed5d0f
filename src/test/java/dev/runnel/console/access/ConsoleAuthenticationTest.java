package dev.runnel.console.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.console.access.ConsoleAuthentication.Entry;
import dev.runnel.console.access.ConsoleAuthentication.Visitor;
import dev.runnel.core.model.conversation.SignedInPerson;
import dev.runnel.testkit.MemorySessions;
import dev.runnel.testkit.SettableClock;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConsoleAuthenticationTest {
  private static final String TOKEN = "sesame-of-sixteen-letters";

  private final SettableClock clock = new SettableClock();
  private final MemorySessions sessions = new MemorySessions();
  private final ConsoleAuthentication authentication =
      new ConsoleAuthentication(TOKEN, sessions, clock);

  private Optional<Visitor> withCookies(@Nullable String cookies) {
    return authentication.visitor(Optional.ofNullable(cookies), Optional.empty());
  }

  private Optional<Visitor> withSession(Entry entry) {
    return withCookies(ConsoleAuthentication.COOKIE + "=" + ((Entry.Entered) entry).session());
  }

  private Optional<Visitor> withBearer(String authorization) {
    return authentication.visitor(Optional.empty(), Optional.of(authorization));
  }

  private static String secretOf(String link) {
    return link.substring((ConsoleAuthentication.SIGN_IN_PATH + "?link=").length());
  }

  @Nested
  class AVisitor {
    @Test
    void visitorWithoutASessionIsUnauthenticated() {
      assertThat(withCookies(null)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "",
          "runnel-console",
          "runnel-console=",
          "runnel-console=sesame-of-sixteen-letters",
          "runnel-console=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
          "other=x; ; =;runnel-console=\"\""
        })
    void visitorWithAForgedCookieIsUnauthenticated(String cookies) {
      assertThat(withCookies(cookies)).isEmpty();
    }

    @Test
    void sessionIsAcceptedBesideOtherCookies() {
      var session = ((Entry.Entered) authentication.enterWithToken(TOKEN)).session();

      assertThat(withCookies("a=b; " + ConsoleAuthentication.COOKIE + "=" + session + ";c=d"))
          .isPresent();
    }

    @Test
    void visitorIsSignedOutAfterTwoWeeks() {
      var entry = authentication.enterWithToken(TOKEN);
      clock.advance(Duration.ofDays(14).minusSeconds(1));
      assertThat(withSession(entry)).isPresent();
      clock.advance(Duration.ofSeconds(1));
      assertThat(withSession(entry)).isEmpty();
    }

    @Test
    void sessionThatEndsDuringTheCheckIsUnauthenticated() {
      var session =
          authentication.enter(new SignedInPerson("slack:T1/U1", "Ann", Set.of("slack:U1")));
      sessions.endAfterARead();

      assertThat(withCookies(ConsoleAuthentication.COOKIE + "=" + session)).isEmpty();
    }

    @Test
    void signOutEndsOnlyTheSessionOfTheVisitor() {
      var one = authentication.enterWithToken(TOKEN);
      var other = authentication.enterWithToken(TOKEN);

      authentication.leave(
          Optional.of(ConsoleAuthentication.COOKIE + "=" + ((Entry.Entered) one).session()));
      assertThat(withSession(one)).isEmpty();
      assertThat(withSession(other)).isPresent();

      authentication.leaveEverywhere();
      assertThat(withSession(other)).isEmpty();
    }
  }

  @Nested
  class ALink {
    @Test
    void signInLinkWorksOnce() {
      var link = secretOf(authentication.newLink());

      assertThat(withSession(authentication.enterWithLink(link))).isPresent();
      assertThat(authentication.enterWithLink(link)).isEqualTo(new Entry.Wrong());
    }

    @Test
    void signInLinkExpiresAfterAnHour() {
      var link = secretOf(authentication.newLink());
      clock.advance(Duration.ofHours(1));

      assertThat(authentication.enterWithLink(link)).isEqualTo(new Entry.Wrong());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "sesame-of-sixteen-letters"})
    void unknownSignInLinkIsRejected(String link) {
      assertThat(authentication.enterWithLink(link)).isEqualTo(new Entry.Wrong());
    }
  }

  @Nested
  class TheToken {
    @Test
    void tokenAuthenticatesProgramsOnEachRequest() {
      assertThat(withBearer("Bearer " + TOKEN)).isPresent();
      assertThat(withBearer("bearer " + TOKEN)).isPresent();
      assertThat(withBearer("Bearer " + TOKEN + "x")).isEmpty();
      assertThat(withBearer("Basic " + TOKEN)).isEmpty();
    }

    @Test
    void noTokenIsAcceptedIfNoneIsConfigured() {
      var without = new ConsoleAuthentication(null, sessions, clock);

      assertThat(without.visitor(Optional.empty(), Optional.of("Bearer null"))).isEmpty();
      assertThat(without.enterWithToken("")).isEqualTo(new Entry.Wrong());
    }

    @Test
    void tokenIsNotCheckedForAWhileAfterWrongTokens() {
      for (int i = 0; i < 6; i++) {
        assertThat(authentication.enterWithToken("wrong " + i)).isEqualTo(new Entry.Wrong());
      }

      assertThat(authentication.enterWithToken(TOKEN))
          .isEqualTo(new Entry.Later(Duration.ofSeconds(1)));
      assertThat(withBearer("Bearer " + TOKEN)).isEmpty();
      clock.advance(Duration.ofSeconds(1));
      assertThat(authentication.enterWithToken(TOKEN)).isInstanceOf(Entry.Entered.class);
      assertThat(authentication.enterWithToken("wrong")).isEqualTo(new Entry.Wrong());
    }

    @Test
    void wrongTokensAreCheckedAboutTwiceAMinuteAtMost() {
      var looked = 0;
      for (int second = 0; second < 3600; second++) {
        for (int i = 0; i < 5; i++) {
          looked += authentication.enterWithToken("wrong") instanceof Entry.Wrong ? 1 : 0;
          looked += withBearer("Bearer wrong").isPresent() ? 1 : 0;
        }
        clock.advance(Duration.ofSeconds(1));
      }
      assertThat(looked).isLessThan(140);
    }

    @Test
    void wrongTokensDoNotBlockSessionsAndSignInLinks() {
      var entry = authentication.enterWithToken(TOKEN);
      for (int i = 0; i < 20; i++) {
        var _ = authentication.enterWithToken("wrong");
      }

      assertThat(withSession(entry)).isPresent();
      assertThat(authentication.enterWithLink(secretOf(authentication.newLink())))
          .isInstanceOf(Entry.Entered.class);
    }
  }

  @Nested
  class PageKeys {
    private final Visitor visitor = new Visitor("one");

    @Test
    void everyPageHasItsOwnPageKey() {
      assertThat(visitor.pageKey()).isNotEqualTo(visitor.pageKey());
    }

    @Test
    void pageKeyIsValidOnlyForItsVisitor() {
      var key = visitor.pageKey();
      assertThat(visitor.isPageKey(key)).isTrue();
      assertThat(new Visitor("one").isPageKey(key)).isTrue();
      assertThat(new Visitor("two").isPageKey(key)).isFalse();
      assertThat(visitor.isPageKey("x" + key)).isFalse();
      assertThat(visitor.isPageKey(key.substring(0, key.length() - 1))).isFalse();
      assertThat(visitor.isPageKey("")).isFalse();
      assertThat(visitor.isPageKey(".")).isFalse();
    }
  }
}
