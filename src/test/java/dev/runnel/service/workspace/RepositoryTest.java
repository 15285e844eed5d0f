package dev.runnel.service.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RepositoryTest {
  @ParameterizedTest
  @CsvSource({
    "acme/shop, https://github.com/acme/shop.git, shop, acme/shop",
    "https://git.example.com/team/sub/shop.git/, https://git.example.com/team/sub/shop.git/, shop,"
        + " sub/shop",
    "git@git.example.com:acme/shop.git, git@git.example.com:acme/shop.git, shop, acme/shop",
    "ssh://git@git.example.com:22/acme/shop, ssh://git@git.example.com:22/acme/shop, shop,"
        + " acme/shop",
    "file:///srv/git/shop.git, file:///srv/git/shop.git, shop, git/shop",
    "/srv/git/shop, /srv/git/shop, shop, git/shop",
  })
  void repositoryNameIsDerivedFromItsAddress(
      String place, String url, String folder, String fullName) {
    var repository = of(place);

    assertThat(repository.url()).isEqualTo(url);
    assertThat(repository.folder()).isEqualTo(folder);
    assertThat(repository.fullName()).isEqualTo(fullName);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "shop",
        "--upload-pack=x",
        "ext::sh -c x",
        "https://ann:pw@git.example.com/acme/shop",
        "https://ghp_x@github.com/acme/shop",
        "javascript:x",
        "acme/shop;x",
        "",
        "..",
      })
  void unsafeRepositoryAddressIsRefused(String place) {
    assertThatThrownBy(() -> of(place))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .doesNotContain("pw")
        .doesNotContain("ghp");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-x", "a b", "a..b", "@{x}", "a:b", ""})
  void invalidRefIsRefused(String ref) {
    assertThatThrownBy(
            () -> Repository.of("acme/shop", Optional.of(ref), Optional.empty(), Optional.empty()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"..", "a/b", "/a", ".git", "-x", ""})
  void folderNameThatLeavesTheWorkspaceIsRefused(String folder) {
    assertThatThrownBy(
            () ->
                Repository.of("acme/shop", Optional.empty(), Optional.of(folder), Optional.empty()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void tokenForAPlainHttpRepositoryIsRefused() {
    assertThatThrownBy(
            () ->
                Repository.of(
                    "http://git.example.com/acme/shop",
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of("TOKEN")))
        .hasMessage("token is only for an https URL");
  }

  private static Repository of(String place) {
    return Repository.of(place, Optional.empty(), Optional.empty(), Optional.empty());
  }
}
