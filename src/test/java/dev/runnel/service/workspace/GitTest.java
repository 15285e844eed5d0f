package dev.runnel.service.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.testkit.FakeCommandRunner;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GitTest {
  @Test
  void toStringShowsNoValuesOfVariables() {
    var git = new Git(new FakeCommandRunner(), Map.of("SHOP_TOKEN", "token-of-the-shop"));

    assertThat(git.toString()).doesNotContain("token-of-the-shop");
    assertThat(new Skills(git).toString()).doesNotContain("token-of-the-shop");
  }
}
