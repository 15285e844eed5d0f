package dev.runnel.core.redact;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.InfoCard;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Screen;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.Evidence;
import dev.runnel.core.model.run.Prompt;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunFile;
import dev.runnel.core.model.run.RunOptions;
import java.net.URI;
import java.util.List;
import java.util.function.UnaryOperator;

/// Copies values with a change applied to all text that people or agents read. Ids, names and times
/// stay.
///
/// @param change the change; must be idempotent
record TextMapping(UnaryOperator<String> change) {
  Update update(Update update) {
    return switch (update) {
      case Update.Status status -> status(status);
      case Update.Still(var status) -> new Update.Still(status(status));
      case Update.Blocked(var run, var requester, var question) ->
          new Update.Blocked(run(run), requester, text(question));
      case Update.QuestionClosed(var run, var question, var answer, var by) ->
          new Update.QuestionClosed(run(run), text(question), answer.map(change), by);
      case Update.Succeeded(var run, var requester, var since, var at) ->
          new Update.Succeeded(run(run), requester, since, at);
      case Update.Failed(var run, var requester, var why, var retryable) ->
          new Update.Failed(run(run), requester, text(why), retryable);
      case Update.Cancelled(var run, var requester, var stop, var unread) ->
          new Update.Cancelled(run(run), requester, stop, unread.stream().map(change).toList());
      case Update.FileMade(var run, var requester, var file, var number) ->
          new Update.FileMade(run(run), requester, file(file), number);
      case Update.Reminder(var run, var requester, var question, var number, var asked, var at) ->
          new Update.Reminder(run(run), requester, text(question), number, asked, at);
      case Update.Message(var to, var text, var privately) ->
          new Update.Message(to, text(text), privately);
      case Update.Listed(var to, var runs, var listing) ->
          new Update.Listed(to, bindings(runs), listing);
      case Update.Answered(var to, var card) -> new Update.Answered(to, card(card));
      case Update.Screened(var to, var screen) -> new Update.Screened(to, screen(screen));
      case Update.Helped _, Update.Received _ -> update;
    };
  }

  Intent intent(Intent intent) {
    return switch (intent) {
      case Intent.ForAgent message -> message.with(request(message.request()));
      case Intent.PullRequestNeeds(
              var link,
              var cause,
              var news,
              var request,
              var isFact,
              var branch) ->
          new Intent.PullRequestNeeds(link, cause, text(news), text(request), isFact, branch);
      case Intent.PullRequestChanged(var link, var state, var at, var then) ->
          new Intent.PullRequestChanged(link, state, at, then.map(this::intent));
      case Intent.Linked(var link, var linked) -> new Intent.Linked(link, intent(linked));
      case Intent.RunCommand _, Intent.GeneralCommand _, Intent.Help _, Intent.Unclear _ -> intent;
      case Intent.Amend _, Intent.StopAt _, Intent.Link _ -> intent;
    };
  }

  Prompt prompt(Prompt prompt) {
    return new Prompt(
        text(prompt.text()),
        text(prompt.title()),
        options(prompt.options()),
        prompt.metadata(),
        prompt.attachments(),
        prompt.base().map(change));
  }

  Run run(Run run) {
    return run.with(
        it ->
            it.title(text(run.title()))
                .message(run.message().map(change))
                .artifacts(run.artifacts().stream().map(this::artifact).toList())
                .evidence(run.evidence().map(this::evidence))
                .files(run.files().stream().map(this::file).toList()));
  }

  private Evidence evidence(Evidence evidence) {
    return new Evidence(
        evidence.changed(),
        evidence.commits(),
        evidence
            .tests()
            .map(
                tests ->
                    tests.stream()
                        .map(each -> new Evidence.TestRun(text(each.command()), each.exit()))
                        .toList()),
        evidence.mismatch());
  }

  private RunFile file(RunFile file) {
    return new RunFile(
        file.id(), text(file.name()), file.type(), file.size(), file.digest(), file.withheld());
  }

  String text(String text) {
    return change.apply(text);
  }

  private Update.Status status(Update.Status status) {
    return new Update.Status(
        run(status.run()),
        status.requester(),
        request(status.request()),
        status.since(),
        status.at(),
        status.stop(),
        status.shown());
  }

  private Artifact artifact(Artifact artifact) {
    return new Artifact(
        text(artifact.label()),
        link(artifact.link()),
        artifact.pullRequest(),
        artifact.branch(),
        artifact.state());
  }

  private URI link(URI link) {
    return URI.create(text(link.toString()));
  }

  private Request request(Request request) {
    return new Request(text(request.text()), options(request.options()));
  }

  private RunOptions options(RunOptions options) {
    return options.withTitle(options.title().map(change));
  }

  private List<Binding> bindings(List<Binding> bindings) {
    return bindings.stream().map(this::binding).toList();
  }

  private Binding binding(Binding binding) {
    return binding.with(it -> it.run(run(binding.run())).request(request(binding.request())));
  }

  private InfoCard card(InfoCard card) {
    return card.with(
        it ->
            it.title(text(card.title()))
                .rows(
                    card.rows().stream()
                        .map(
                            row ->
                                new InfoCard.Row(
                                    text(row.label()),
                                    text(row.text()),
                                    text(row.note()),
                                    row.link(),
                                    row.mentions()))
                        .toList())
                .next(
                    card.next().stream()
                        .map(next -> new InfoCard.Next(text(next.words()), text(next.command())))
                        .toList())
                .work(card.work().map(change))
                .stoppable(
                    card.stoppable().stream()
                        .map(
                            each ->
                                new InfoCard.Stoppable(
                                    each.run(), text(each.state()), text(each.title())))
                        .toList()));
  }

  private Screen screen(Screen screen) {
    return switch (screen) {
      case Screen.Ask(var thread, var run, var about, var fields, var answers) ->
          new Screen.Ask(thread, run, text(about), fields(fields), answers);
      case Screen.Preferences(var level, var fields) ->
          new Screen.Preferences(level, fields(fields));
      case Screen.Home(
              var blocked,
              var running,
              var recent,
              var more,
              var defaults,
              var changeable,
              var at) ->
          new Screen.Home(
              bindings(blocked),
              bindings(running),
              bindings(recent),
              more,
              fields(defaults),
              changeable,
              at);
    };
  }

  private List<Screen.Field> fields(List<Screen.Field> fields) {
    return fields.stream()
        .map(
            field ->
                new Screen.Field(
                    field.key(),
                    field.name(),
                    field.value().map(change),
                    field.holds().map(change),
                    field.from(),
                    field.choices()))
        .toList();
  }
}
