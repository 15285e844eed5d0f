package dev.runnel.core.scope;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.conversation.Conversation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConversationScopeTest {
  @ParameterizedTest
  @CsvSource({
    "slack:T1/C1/1700000000.000100,               slack:T1/C1,      channel",
    "github:acme/shop#7,                          github:acme/shop, repository",
    "gitlab:acme/web/shop!7,                      gitlab:acme/web/shop, repository",
    "jira:SHOP-12,                                jira:SHOP,        project",
    "azure:Shop#7,                                azure:Shop,       project",
    "linear:0190e6a1-0000-7000-8000-000000000000, linear,           workspace",
  })
  void placeOfAConversationUsesThePlatformTerm(String id, String here, String word) {
    var conversation = Conversation.parse(id);

    assertThat(ConversationScope.here(conversation)).isEqualTo(here);
    assertThat(ConversationScope.word(conversation)).isEqualTo(word);
  }
}
