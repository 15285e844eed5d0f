package dev.runnel.surface.jira;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.TrackerContract;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JiraDataCenterTest implements TrackerContract {
  private final JiraTracker tracker = new JiraTracker(false);

  @Override
  public Tracker tracker() {
    return tracker;
  }

  @ParameterizedTest
  @ValueSource(strings = {"[INFO] --- [main] d.r.App : ok\n", "&", "{[|", "@a\n", "*a* `b` "})
  void aLongAnswerIsCutToWhatJiraTakesAfterItsConversion(String words) {
    var answer = words.repeat(29_500 / words.length());
    var update =
        new Update.Succeeded(
            Samples.run(
                new RunId("1"),
                "Fix the checkout",
                RunState.SUCCEEDED,
                "SUCCEEDED",
                Optional.of(answer),
                false,
                Optional.empty(),
                List.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(Samples.NINE),
                Optional.empty()),
            Samples.DANA,
            Samples.NINE,
            Samples.NINE);

    tracker
        .surface()
        .post(
            new Notice(
                new NoticeId("n1"),
                new Conversation(Jira.ID, "SHOP-7"),
                update,
                Origin.NONE,
                Samples.NINE,
                0),
            null);

    assertThat(tracker.platform().lastBody().asText())
        .hasSizeBetween(20_000, 32_767)
        .contains("The rest was cut off here", "to continue.");
  }
}
