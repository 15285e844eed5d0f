package dev.runnel.core.scope;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnvironmentIdsTest {
  private static final EnvironmentIds SHOP =
      new EnvironmentIds(
          Map.of("Web shop", "web", "web", "web", "docs", "docs"), Optional.of("web"));

  @ParameterizedTest
  @ValueSource(strings = {"nope", "Web", "web shop 2"})
  void missingEnvironmentIsNamedBesideThoseThatExist(String name) {
    assertThat(SHOP.problem(name))
        .contains("There is no environment `%s`. There are: docs, web.".formatted(name));
  }

  @ParameterizedTest
  @ValueSource(strings = {"Web shop", "web", "docs"})
  void environmentIsKnownByItsNameAndItsId(String name) {
    assertThat(SHOP.problem(name)).isEmpty();
  }

  @Test
  void withoutEnvironmentsEachNameIsAProblem() {
    assertThat(new EnvironmentIds(Map.of(), Optional.empty()).problem("nope"))
        .contains("There is no environment `nope`. None are configured yet.");
  }

  @Test
  void environmentOfAnotherServiceMayExist() {
    assertThat(EnvironmentIds.UNKNOWN.problem("nope")).isEmpty();
  }
}
