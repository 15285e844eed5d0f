package dev.runnel.service.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GitGatewayTest {
  private static final String SHOP = "http://git.runnel/github.com/acme/shop.git";
  private final GitGateway gateway =
      new GitGateway(URI.create("https://github.com/acme/shop.git"), "s3cret");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /info/refs?service=git-upload-pack",
        "GET /info/refs?service=git-receive-pack",
        "POST /git-upload-pack",
        "POST /git-receive-pack"
      })
  void gitRequestsToTheRepositoryGetTheToken(String request) {
    var parts = request.split(" ", 2);

    assertThat(gateway.accepts(parts[0], URI.create(SHOP + parts[1]))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET http://git.runnel/github.com/acme/tools.git/info/refs?service=git-upload-pack",
        "GET http://git.runnel/github.com/acme/shop.git/../tools.git/info/refs?service=git-upload-pack",
        "GET http://git.runnel/github.com/acme/shop.git/%2e%2e/tools.git/info/refs?service=git-upload-pack",
        "GET http://git.runnel/api.github.com/acme/shop.git/info/refs?service=git-upload-pack",
        "GET http://git.runnel/github.com/acme/shop.git/info/refs",
        "GET http://git.runnel/github.com/acme/shop.git/info/refs?service=git-upload-pack&x=y",
        "GET http://git.runnel/github.com/acme/shop.git/HEAD",
        "POST http://git.runnel/github.com/acme/shop.git/git-upload-pack?x",
        "POST http://git.runnel/github.com/acme/shop.git/info/lfs/locks",
        "DELETE http://git.runnel/github.com/acme/shop.git/git-upload-pack",
        "GET http://git.runnel/user"
      })
  void otherRequestsGetNoToken(String request) {
    var parts = request.split(" ", 2);

    assertThat(gateway.accepts(parts[0], URI.create(parts[1]))).isFalse();
  }

  @Test
  void forwardedRequestHasTheTokenAndOnlyGitHeaders() throws Exception {
    var head =
        List.of(
            "GET " + SHOP + "/info/refs?service=git-upload-pack HTTP/1.1",
            "Host: git.runnel",
            "Git-Protocol: version=2",
            "Authorization: Basic own",
            "X-HTTP-Method-Override: DELETE");
    var sent =
        gateway.forwarded(
            RequestHead.parse(head), URI.create(SHOP + "/info/refs?service=git-upload-pack"));

    assertThat(sent)
        .isEqualTo(
            """
            GET /acme/shop.git/info/refs?service=git-upload-pack HTTP/1.1\r
            Host: github.com\r
            Connection: close\r
            Authorization: Basic eC1hY2Nlc3MtdG9rZW46czNjcmV0\r
            Git-Protocol: version=2\r
            \r
            """);
    assertThat(gateway.toString()).doesNotContain("s3cret");
  }

  @Test
  void gatewaySettingsAreAddedToTheOtherGitSettings() {
    assertThat(GitGateway.variables(List.of(gateway), 2))
        .containsOnly(
            entry("GIT_CONFIG_COUNT", "3"),
            entry("GIT_CONFIG_KEY_2", "url." + SHOP + ".insteadOf"),
            entry("GIT_CONFIG_VALUE_2", "https://github.com/acme/shop.git"));
    assertThat(GitGateway.variables(List.of(), 0)).isEmpty();
  }
}
