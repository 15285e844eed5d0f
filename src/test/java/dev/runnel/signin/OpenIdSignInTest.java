package dev.runnel.signin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.core.model.conversation.SignedInPerson;
import dev.runnel.core.port.SignInProvider;
import dev.runnel.testkit.SettableClock;
import dev.runnel.testkit.SimulatedProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Which claims count: those of the ID token, and those of the userinfo endpoint.
class OpenIdSignInTest {
  private static final SignInProvider.Exchange EXCHANGE =
      new SignInProvider.Exchange("n".repeat(32), "v".repeat(43), URI.create("http://callback"));

  private final SettableClock clock = new SettableClock();
  private final SimulatedProvider provider = new SimulatedProvider(clock);
  private final OkHttpClient http =
      new OkHttpClient.Builder().followRedirects(false).readTimeout(Duration.ofSeconds(2)).build();
  private final OpenIdSignIn signIn =
      OpenIdSignIn.generic(
          provider.uri(), SimulatedProvider.CLIENT, SimulatedProvider.SECRET, http, clock);

  @BeforeEach
  void theProviderHasAUserInfoEndpoint() {
    provider.claims.put("sub", "s1");
    provider.userInfoAddress = Optional.of(provider.uri() + "/userinfo");
    provider.userInfo.putAll(
        Map.of(
            "sub", "s1",
            "name", "Ann",
            "email", "ann@example.com",
            "email_verified", true,
            "groups", List.of("platform")));
  }

  @AfterEach
  void close() {
    provider.close();
  }

  private SignedInPerson signsIn() throws IOException {
    var address = signIn.authorization("state", EXCHANGE).toString();
    try (var answer = http.newCall(new Request.Builder().url(address).build()).execute()) {
      var back = HttpUrl.get(Objects.requireNonNull(answer.header("Location")));
      return signIn.identify(Objects.requireNonNull(back.queryParameter("code")), EXCHANGE);
    }
  }

  private void isRefused(String... because) {
    assertThatThrownBy(this::signsIn)
        .isInstanceOf(SignInProvider.Failed.class)
        .message()
        .contains(because)
        .doesNotContain("access-simulated", SimulatedProvider.SECRET);
  }

  private void theIdTokenIsComplete() {
    provider.claims.putAll(
        Map.of("email", "bob@example.com", "email_verified", true, "groups", List.of("web")));
  }

  @Nested
  class AThinIdToken {
    @Test
    void incompleteIdTokenIsCompletedByTheUserInfoEndpoint() throws Exception {
      assertThat(signsIn())
          .isEqualTo(
              new SignedInPerson(
                  "oidc:ann@example.com",
                  "Ann",
                  Set.of("oidc:ann@example.com", "oidc:group:platform")));
    }

    @Test
    void userInfoEndpointProvidesOnlyTheMissingGroups() throws Exception {
      theIdTokenIsComplete();
      provider.claims.remove("groups");
      provider.userInfo.put("email_verified", false);

      assertThat(signsIn().names())
          .containsExactlyInAnyOrder("oidc:bob@example.com", "oidc:group:platform");
    }

    @Test
    void signInWithoutGroupsNamesOnlyThePerson() throws Exception {
      provider.userInfo.remove("groups");

      assertThat(signsIn().names()).containsExactly("oidc:ann@example.com");
    }

    @ParameterizedTest
    @ValueSource(strings = {"email", "email_verified"})
    void signInIsRefusedIfTheUserInfoEndpointLacksTheClaimToo(String claim) {
      provider.userInfo.remove(claim);

      isRefused("Neither", "has " + claim, "Let the provider put " + claim);
    }

    @Test
    void signInIsRefusedIfTheUserInfoIsAboutAnotherPerson() {
      provider.userInfo.put("sub", "s2");
      isRefused("another person");

      provider.userInfo.remove("sub");
      isRefused("no sub");
    }

    @ParameterizedTest
    @CsvSource({"true, false", "false, true", "false, false"})
    void signInIsRefusedIfTokenOrUserInfoSaysTheAddressIsUnverified(boolean token, boolean answer) {
      provider.claims.put("email_verified", token);
      provider.userInfo.put("email_verified", answer);

      isRefused("did not verify");
    }

    /// The endpoint verifies the address that it names, and no other.
    @Test
    void signInIsRefusedIfTheVerifiedAddressIsAnother() {
      provider.claims.put("email", "boss@example.com");

      isRefused("did not verify");
    }

    @ParameterizedTest
    @ValueSource(ints = {302, 401, 403, 500})
    void signInIsRefusedWithARemedyIfTheUserInfoEndpointFails(int status) {
      provider.userInfoStatus = status;

      isRefused(
          "127.0.0.1 answered " + status,
          "userinfo",
          "email, email_verified, groups",
          "into the ID token");
    }

    @Test
    void signInIsRefusedIfTheUserInfoEndpointTimesOut() throws Exception {
      try (var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        provider.userInfoAddress = Optional.of("http://127.0.0.1:" + silent.getLocalPort());

        isRefused("did not answer", "into the ID token");
      }
    }

    @Test
    void signInIsRefusedIfTheUserInfoIsSigned() {
      provider.userInfoType = "application/jwt";

      isRefused("application/jwt", "must be plain JSON");
    }

    @Test
    void signInIsRefusedIfTheAccessTokenIsNoValidHeaderValue() {
      provider.accessToken = "line\nbreak";

      isRefused("access token that is not valid");
    }

    @Test
    void signInIsRefusedIfTheUserInfoIsTooLong() {
      provider.userInfo.put("groups", List.of("x".repeat(300_000)));

      isRefused("did not answer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ftp://127.0.0.1/", "nowhere", "http:///x"})
    void signInIsRefusedIfTheUserInfoAddressIsInvalid(String address) {
      provider.userInfoAddress = Optional.of(address);

      isRefused("no valid userinfo_endpoint");
    }

    @Test
    void signInIsRefusedIfThereIsNoUserInfoEndpoint() {
      provider.userInfoAddress = Optional.empty();

      isRefused("no email, email_verified", "no userinfo endpoint", "into the ID token");
    }
  }

  @Test
  void completeIdTokenNeedsNoUserInfoRequest() throws Exception {
    theIdTokenIsComplete();

    assertThat(signsIn().names())
        .containsExactlyInAnyOrder("oidc:bob@example.com", "oidc:group:web");
    assertThat(provider.received).doesNotContain("userinfo");
  }

  @Test
  void groupsAreNotNeededWithoutAUserInfoEndpoint() throws Exception {
    theIdTokenIsComplete();
    provider.claims.remove("groups");
    provider.userInfoAddress = Optional.empty();

    assertThat(signsIn().names()).containsExactly("oidc:bob@example.com");
  }

  /// Okta's own authorization server sends groups only for this scope; other providers refuse
  /// scopes that they do not know.
  @Test
  void groupsScopeIsRequestedIfTheProviderSupportsIt() {
    assertThat(signIn.authorization("state", EXCHANGE).getQuery())
        .contains("scope=openid+profile+email&");

    provider.scopes = List.of("openid", "email", "groups");

    assertThat(signIn.authorization("state", EXCHANGE).getQuery())
        .contains("scope=openid+profile+email+groups&");
  }
}
