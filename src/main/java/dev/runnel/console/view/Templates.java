package dev.runnel.console.view;

import dev.runnel.console.access.SignInLink;
import dev.runnel.console.detail.RunFacts;
import dev.runnel.console.numbers.NumbersPage;
import dev.runnel.console.operation.Operation;
import dev.runnel.console.operation.RecentCheck;
import dev.runnel.console.transcript.StepView;
import dev.runnel.console.transcript.TranscriptWindow;
import dev.runnel.console.transcript.Transcripts;
import dev.runnel.core.policy.Policy;
import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Renders the precompiled templates of `src/main/jte`: whole pages, and the fragments that are
/// sent when something changes.
public final class Templates {
  private final TemplateEngine engine;
  private final About about;
  private final String version;

  public Templates(About about, String version) {
    this(
        about,
        version,
        TemplateEngine.createPrecompiled(
            null, ContentType.Html, Templates.class.getClassLoader(), "dev.runnel.console.pages"));
  }

  private Templates(About about, String version, TemplateEngine engine) {
    this.engine = engine;
    this.about = about;
    this.version = version;
  }

  /// The pages for a visitor.
  ///
  /// @param person the visitor's name; empty for operators
  /// @param isOperator whether the visitor may see the pages of operators
  public Templates as(String person, boolean isOperator) {
    return new Templates(about.with(person, isOperator), version, engine);
  }

  /// @param givenUp number of parked items
  public String runs(List<RunView> runs, int givenUp, String pageKey) {
    return page("runs", Map.of("runs", runs, "givenUp", givenUp, "pageKey", pageKey));
  }

  public String allRuns(RunListQuery query, RunLists.RunList list, Instant now) {
    return page(
        "allruns",
        Map.of(
            "query",
            query,
            "rows",
            list.all().stream().map(row -> row.view(now)).toList(),
            "next",
            list.next(),
            "problem",
            list.problem()));
  }

  public String runRow(RunListQuery query, RunRowView row) {
    return piece("runrow", Map.of("query", query, "row", row, "about", about));
  }

  public String attention(List<ApprovalView> approvals, List<ParkedItemView> rows, String pageKey) {
    return page("attention", Map.of("approvals", approvals, "rows", rows, "pageKey", pageKey));
  }

  public String numbers(NumbersPage numbers) {
    return page("numbers", Map.of("numbers", numbers));
  }

  /// @param checked empty if the first check has not ended
  public String operation(Operation.Load load, Optional<RecentCheck.Result> checked, Instant now) {
    return page("operation", Map.of("load", load, "checked", checked, "now", now));
  }

  /// @param resources empty where another run service works
  public String resources(Optional<Operation.Resources> resources, Instant now, String pageKey) {
    return page("resources", Map.of("resources", resources, "now", now, "pageKey", pageKey));
  }

  public String settings(List<Operation.SettingInForce> settings) {
    return page("settings", Map.of("settings", settings));
  }

  /// @param answer empty if the form was not sent
  public String policy(
      Policy policy,
      List<String> unreachable,
      Operation.PolicyQuestion question,
      Optional<Operation.PolicyAnswer> answer) {
    return page(
        "policy",
        Map.of(
            "policy", policy, "unreachable", unreachable, "question", question, "answer", answer));
  }

  public String audit(AuditPage log) {
    return page("audit", Map.of("log", log));
  }

  public String runList(List<RunView> runs) {
    return piece("runlist", Map.of("runs", runs, "about", about));
  }

  public String runItem(RunView run) {
    return piece("runitem", Map.of("run", run, "about", about));
  }

  /// @param transcript the lines to show; empty where it is not available here
  public String run(
      RunView run,
      RunFacts facts,
      Optional<TranscriptWindow> transcript,
      List<String> notes,
      String pageKey) {
    return page(
        "run",
        Map.of(
            "run",
            run,
            "facts",
            facts,
            "transcript",
            transcript,
            "notes",
            notes,
            "pageKey",
            pageKey));
  }

  public String facts(RunFacts facts) {
    return piece("facts", Map.of("facts", facts));
  }

  public String runHead(RunView run) {
    return piece("runhead", Map.of("run", run, "about", about));
  }

  public String lines(List<Transcripts.Line> lines) {
    return piece("lines", Map.of("steps", StepView.of(lines)));
  }

  public String notes(List<String> notes) {
    return piece("notes", Map.of("notes", notes));
  }

  /// The page of a run for somebody with a link to it.
  public String shared(RunView run, RunFacts facts, Optional<TranscriptWindow> transcript) {
    return page(
        "shared",
        Map.of("run", run, "facts", facts, "transcript", transcript),
        new About("", List.of()));
  }

  /// A new link that shows a run.
  public String shareLink(RunView run, String link) {
    return page("sharelink", Map.of("run", run, "link", link));
  }

  /// A page with a title and a text only.
  public String errorPage(String title, String text) {
    return page("sorry", Map.of("title", title, "text", text));
  }

  /// The sign-in page, which does not reveal what is connected.
  ///
  /// @param takesToken whether it asks for the token
  /// @param to the page that was requested
  /// @param providers with which visitors can sign in
  public String signIn(
      String title, String text, boolean takesToken, String to, List<SignInLink> providers) {
    return page(
        "signin",
        Map.of(
            "title",
            title,
            "text",
            text,
            "takesToken",
            takesToken,
            "to",
            to,
            "providers",
            providers),
        new About("", List.of()));
  }

  /// The page of a link that signs in, whose button uses it.
  ///
  /// @param link its secret
  public String enterByLink(String link) {
    return page("enter", Map.of("link", link), new About("", List.of()));
  }

  private String page(String template, Map<String, Object> values) {
    return page(template, values, about);
  }

  private String page(String template, Map<String, Object> values, About head) {
    var all = new HashMap<>(values);
    all.put("about", head);
    all.put("version", version);
    return piece(template, all);
  }

  private String piece(String template, Map<String, Object> values) {
    var output = new StringOutput();
    engine.render(template + ".jte", values, output);
    return output.toString();
  }
}
