package dev.runnel.core.command;

import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Intent.ListRuns.Scope;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Question.ChangeSchedule.Change;
import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.scope.Defaults;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Parses commands: texts that consist of a verb and arguments in its syntax, and nothing else.
public final class CommandParser {
  // A complete id, or its first characters, at least four.
  private static final String ID = "(?:[0-9a-fA-F][0-9a-fA-F-]{3,35}|run[-_][\\w-]+)";
  private static final String RUN = "(?:\\S*/runs/)?(?<run>" + ID + ")/?";
  // Also a link, or with a digit, because `say added …` and `say run-time …` are prompts.
  private static final String RUN_IN_PROSE = "(?=\\S*/runs/|\\S*\\d|[a-fA-F]{8})" + RUN;
  private static final String URL = "(?<link>https?://\\S+)";

  private static final Pattern ABOUT_A_RUN =
      form("(?<verb>cancel|stop|status|retry)(?:\\s+(?:" + RUN + "|" + URL + "))?");
  // In a thread these words rarely mean a run: `kill 8080` is work.
  private static final Pattern ABORT =
      form(
          "(?:abort|halt|kill)\\s+(?:\\S*/runs/)?(?<run>[0-9a-f][0-9a-f-]{7,35}|run[-_](?=\\S*\\d)[\\w-]+)/?");
  private static final Pattern ALL_MINE = form("(?:cancel|stop)\\s+all\\s+mine");
  private static final Pattern SAY = form("say\\s+" + RUN_IN_PROSE + "\\s+(?<text>.+)");
  private static final Pattern SAY_WITHOUT_TEXT = form("say\\s+" + RUN);
  // With a digit, because `link a test` is a prompt.
  private static final Pattern SHORT_ID =
      form("(?:say|link)\\s+(?:\\S*/runs/)?(?<id>(?=[a-f]*\\d)[0-9a-f]{1,3})/?(?:\\s+.*)?");
  private static final Pattern LINK = form("link\\s+" + RUN_IN_PROSE);
  private static final Pattern NEW = form("new\\s*:\\s*(?<text>.*)");
  private static final Pattern INTERRUPT = form("interrupt\\s*:\\s*(?<text>.*)");
  private static final Pattern PLAN = form("plan\\s*:\\s*(?<text>.*)");
  // With a colon, because `explain the design` is a prompt.
  private static final Pattern EXPLAIN = form("explain\\s*:\\s*(?<text>.+)");
  private static final Pattern EXPLAIN_OPTIONS = form("explain\\s+(?<options>.+)");
  private static final Pattern WHY = form("why\\s+" + URL);
  private static final Pattern HELP = form("help(?:\\s+(?<verb>\\w+))?");
  private static final Pattern BARE_QUESTION =
      form("config(?:\\s+(?:show|me|here|workspace))?|usage|whoami|doctor");
  private static final Pattern NEEDS_MORE =
      form("run\\s*:?|say|link|new|explain\\s*:?|why|config\\s+(?:set|unset)");
  private static final Pattern RUN_COLON = form("run\\s*:\\s*(?<text>.+)");
  private static final Pattern RUN_SPACE = form("run\\s+(?<text>.+)");
  // From the first space, so that the search for it is linear.
  private static final String LEVEL = "(?:(?<!\\s)\\s+(?<level>me|here|workspace))?";
  private static final Pattern SET_PROMPT =
      form("config\\s+set\\s+(?<key>prompt|base_prompt)\\s+(?<value>.+?)" + LEVEL);
  private static final Pattern SET =
      form(
          "config\\s+set\\s+(?<key>[\\w-]+)\\s+(?<value>[\"\u201c][^\"\u201d]*[\"\u201d]|\\S+)"
              + LEVEL);
  private static final Pattern UNSET = form("config\\s+unset\\s+(?<key>[\\w-]+)" + LEVEL);
  private static final Pattern DECIDE =
      form("(?<verb>approve|decline)(?:\\s+(?<approval>[0-9a-fA-F]{4,8}))?");
  private static final Pattern LISTEN = form("(?<verb>mute|unmute|listen)[.!]*");
  private static final Pattern JOIN = form("(?<verb>join|separate)[.!]*");
  private static final Pattern FREEZE = form("freeze(?:\\s*:\\s*(?<reason>.+))?");
  private static final Pattern UNFREEZE = form("unfreeze");
  private static final Pattern SCHEDULES = form("schedules|schedules?\\s+list|schedule");
  private static final Pattern CHANGE_SCHEDULE =
      form("schedules?\\s+(?<change>pause|resume|delete)\\s+(?<id>[0-9a-f]{4,8})");
  private static final Pattern SCHEDULE = form("schedule\\s*:?\\s+(?<text>.+)");
  private static final Pattern AGAIN = form("again\\s+(?<text>.+)");
  private static final Pattern ONE_WORD = form("[a-z]{2,12}");

  private static final Set<String> ABOUT_THE_RUN = Set.of("stop", "cancel", "status", "retry");
  private static final int MAX_COMMAND_WORDS = 4;
  private static final int MAX_SHOWN = 60;
  private static final Pattern POLITE_LEAD =
      form("^(?:(?:please|pls|plz|hey|ok|okay)[\\s,.:!]++)++");

  private static final Map<String, List<RunState>> STATES =
      Map.ofEntries(
          Map.entry("queued", List.of(RunState.QUEUED)),
          Map.entry("running", List.of(RunState.RUNNING)),
          Map.entry("working", List.of(RunState.RUNNING)),
          Map.entry("blocked", List.of(RunState.BLOCKED)),
          Map.entry("waiting", List.of(RunState.BLOCKED)),
          Map.entry("done", List.of(RunState.SUCCEEDED)),
          Map.entry("finished", List.of(RunState.SUCCEEDED)),
          Map.entry("succeeded", List.of(RunState.SUCCEEDED)),
          Map.entry("failed", List.of(RunState.FAILED)),
          Map.entry("cancelled", List.of(RunState.CANCELLED)),
          Map.entry("stopped", List.of(RunState.CANCELLED)),
          Map.entry("canceled", List.of(RunState.CANCELLED)),
          Map.entry(
              "active",
              List.of(RunState.QUEUED, RunState.RUNNING, RunState.BLOCKED, RunState.UNKNOWN)));

  private CommandParser() {}

  private static Pattern form(String regex) {
    return Pattern.compile(regex, Pattern.CASE_INSENSITIVE | Pattern.DOTALL | Pattern.UNICODE_CASE);
  }

  /// Parses the commands that need no mention in a thread.
  static Optional<Intent> inThread(String words) {
    return mayBeCommand(words) ? commandInThread(words) : Optional.empty();
  }

  /// The same without the check of the first word.
  static Optional<Intent> commandInThread(String words) {
    return aboutARun(words)
        .or(() -> bare(words))
        .or(() -> newRun(words))
        .or(() -> interrupt(words))
        .or(() -> decision(words))
        .or(() -> listen(words))
        .or(() -> changeOfSchedule(words))
        .or(() -> unfreeze(words))
        .or(() -> again(words))
        .or(() -> help(words));
  }

  /// Parses all commands, and suggests commands for texts that resemble one.
  static Optional<Intent> command(String words) {
    return mayBeCommand(words) ? anyCommand(words) : Optional.empty();
  }

  /// The same without the check of the first word.
  static Optional<Intent> anyCommand(String words) {
    return isTask(words)
        ? Optional.empty()
        : commandInThread(words)
            .or(() -> plan(words))
            .or(() -> ofRun(words))
            .or(() -> list(words))
            .or(() -> join(words))
            .or(() -> freeze(words))
            .or(() -> schedule(words))
            .or(() -> question(words))
            .or(() -> configure(words))
            .or(() -> incomplete(words))
            .or(() -> shortId(words))
            .or(() -> resemblesRunCommand(words))
            .or(() -> mistyped(words));
  }

  /// The prompt without a leading `run`, if a colon, an option or a verb follows it. `run the
  /// tests` stays as it is.
  static String task(String words) {
    var colon = RUN_COLON.matcher(words);
    if (colon.matches()) {
      return colon.group("text");
    }
    return isTask(words) ? words.substring("run".length()).strip() : words;
  }

  /// A quick check of the first word, because most messages are prompts: whether a pattern can
  /// match. True for a single word, and for a text that does not begin with ASCII letters.
  static boolean mayBeCommand(String words) {
    int end = 0;
    while (end < words.length() && isPlainLetter(words.charAt(end))) {
      end++;
    }
    if (end == 0
        || end == words.length()
        || words.charAt(end) >= 128
        || words.charAt(end) == '\'') {
      return true;
    }
    var first = words.substring(0, end).toLowerCase(Locale.ROOT);
    return Verb.of(first).isPresent() || StopPhrase.mayBegin(first);
  }

  private static boolean isPlainLetter(char each) {
    return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z');
  }

  private static boolean isTask(String words) {
    if (RUN_COLON.matcher(words).matches()) {
      return true;
    }
    var space = RUN_SPACE.matcher(words);
    if (!space.matches()) {
      return false;
    }
    var rest = space.group("text");
    return InlineOptions.lead(rest) || Verb.of(rest.split("[\\s:]", 2)[0]).isPresent();
  }

  private static Optional<Intent> aboutARun(String words) {
    var form = ABOUT_A_RUN.matcher(words);
    if (!form.matches()) {
      return Optional.empty();
    }
    var run = run(form.group("run"));
    Intent intent =
        switch (form.group("verb").toLowerCase(Locale.ROOT)) {
          case "status" -> new Intent.Status(run);
          case "retry" -> new Intent.Retry(run);
          default -> new Intent.Cancel(run, Optional.empty());
        };
    return form.group("link") == null
        ? Optional.of(intent)
        : link(form.group("link")).map(link -> new Intent.Linked(link, intent));
  }

  /// A command without arguments, in any case and punctuation, or a stop with polite words around
  /// it.
  private static Optional<Intent> bare(String words) {
    var command = StopPhrase.words(words);
    if (StopPhrase.isStop(command)) {
      return Optional.of(new Intent.Cancel(Optional.empty(), Optional.empty()));
    }
    return command.size() == 1
        ? aboutARun(command.getFirst()).or(() -> help(command.getFirst()))
        : Optional.empty();
  }

  /// A short text that begins like a command about a run is probably not a prompt, and a run costs
  /// money.
  private static Optional<Intent> resemblesRunCommand(String words) {
    var parts = POLITE_LEAD.matcher(words).replaceFirst("").split("\\s+", MAX_COMMAND_WORDS + 1);
    var first =
        parts[0].replaceAll("^[^\\p{L}\\p{N}]+|[^\\p{L}\\p{N}]+$", "").toLowerCase(Locale.ROOT);
    return parts.length <= MAX_COMMAND_WORDS
            && (ABOUT_THE_RUN.contains(first) || isMistypedStop(first))
        ? Optional.of(
            request(
                words,
                request ->
                    new Intent.Unclear(
                        "`%s` looks like a command, but there is no such command."
                            .formatted(code(words)),
                        Optional.of(request))))
        : Optional.empty();
  }

  /// A run whose id is too short. `say 3 things about the new checkout` is a prompt.
  private static Optional<Intent> shortId(String words) {
    var form = SHORT_ID.matcher(words);
    if (!form.matches()) {
      return Optional.empty();
    }
    var id = form.group("id");
    var isNumber = id.chars().allMatch(Character::isDigit);
    return isNumber && words.split("\\s+", MAX_COMMAND_WORDS + 1).length > MAX_COMMAND_WORDS
        ? Optional.empty()
        : Optional.of(
            request(
                words,
                request ->
                    new Intent.Unclear(
                        "`%s` is too short to name a run. Write at least 4 characters of its id."
                            .formatted(id),
                        Optional.of(request))));
  }

  private static boolean isMistypedStop(String word) {
    return StopPhrase.isStopWord(word) && !StopPhrase.begins(word);
  }

  /// The text on one line, safe to put between backticks.
  public static String code(String text) {
    return text.replaceAll("\\s+", " ").strip().replace('`', '\'');
  }

  private static Optional<Intent> newRun(String words) {
    var form = NEW.matcher(words);
    return form.matches()
        ? Optional.of(
            form.group("text").isBlank()
                ? usage(Verb.NEW)
                : request(form.group("text"), Intent.New::new))
        : Optional.empty();
  }

  /// A message that interrupts the agent.
  private static Optional<Intent> interrupt(String words) {
    var form = INTERRUPT.matcher(words);
    return form.matches()
        ? Optional.of(
            form.group("text").isBlank()
                ? usage(Verb.INTERRUPT)
                : new Intent.Say(
                    new Request(form.group("text").strip(), RunOptions.interrupting())))
        : Optional.empty();
  }

  /// A run that first makes a plan.
  private static Optional<Intent> plan(String words) {
    var form = PLAN.matcher(words);
    return form.matches()
        ? Optional.of(
            form.group("text").isBlank()
                ? usage(Verb.PLAN)
                : request(
                    form.group("text"),
                    request ->
                        new Intent.New(new Request(request.text(), request.options().planned()))))
        : Optional.empty();
  }

  private static Optional<Intent> help(String words) {
    var form = HELP.matcher(words);
    if (!form.matches()) {
      return Optional.empty();
    }
    var verb = Optional.ofNullable(form.group("verb"));
    return verb.isEmpty()
        ? Optional.of(new Intent.Help())
        : verb.flatMap(Verb::of).map(each -> new Intent.Help(Optional.of(each.word())));
  }

  private static Optional<Intent> ofRun(String words) {
    var say = SAY.matcher(words);
    if (say.matches()) {
      return run(say.group("run"))
          .map(run -> new Intent.SayTo(run, Request.of(say.group("text").strip())));
    }
    var link = LINK.matcher(words);
    if (link.matches()) {
      return run(link.group("run")).map(Intent.Link::new);
    }
    var abort = ABORT.matcher(words);
    if (abort.matches()) {
      return Optional.of(new Intent.Cancel(run(abort.group("run")), Optional.empty()));
    }
    return ALL_MINE.matcher(words).matches()
        ? Optional.of(new Intent.CancelMine())
        : Optional.empty();
  }

  private static Optional<Intent> list(String words) {
    if (!words.regionMatches(true, 0, "list", 0, "list".length())) {
      return Optional.empty();
    }
    var parts = List.of(words.toLowerCase(Locale.ROOT).split("\\s+"));
    if (!parts.getFirst().equals("list")) {
      return Optional.empty();
    }
    var scopes = new ArrayList<Scope>();
    var states = new ArrayList<List<RunState>>();
    for (var part : parts.subList(1, parts.size())) {
      switch (part) {
        case "mine" -> scopes.add(Scope.MINE);
        case "channel", "here" -> scopes.add(Scope.CHANNEL);
        case "all" -> scopes.add(Scope.ALL);
        default -> {
          var state = STATES.get(part);
          if (state == null) {
            return Optional.empty();
          }
          states.add(state);
        }
      }
    }
    return scopes.size() > 1 || states.size() > 1
        ? Optional.empty()
        : Optional.of(
            new Intent.ListRuns(
                scopes.stream().findFirst(), states.stream().flatMap(List::stream).toList()));
  }

  /// A decision about a start that waits for an approval.
  private static Optional<Intent> decision(String words) {
    var form = DECIDE.matcher(words);
    return form.matches()
        ? Optional.of(
            new Intent.Ask(
                new Question.Decide(
                    Optional.ofNullable(form.group("approval")),
                    form.group("verb").equalsIgnoreCase("approve"))))
        : Optional.empty();
  }

  private static Optional<Intent> listen(String words) {
    var form = LISTEN.matcher(words);
    return form.matches()
        ? Optional.of(
            new Intent.Ask(new Question.Listen(!form.group("verb").equalsIgnoreCase("mute"))))
        : Optional.empty();
  }

  private static Optional<Intent> join(String words) {
    var form = JOIN.matcher(words);
    return form.matches()
        ? Optional.of(
            new Intent.Ask(new Question.Join(form.group("verb").equalsIgnoreCase("join"))))
        : Optional.empty();
  }

  private static Optional<Intent> freeze(String words) {
    var form = FREEZE.matcher(words);
    return form.matches()
        ? Optional.of(
            new Intent.Ask(new Question.Freeze(true, Optional.ofNullable(form.group("reason")))))
        : Optional.empty();
  }

  private static Optional<Intent> unfreeze(String words) {
    return UNFREEZE.matcher(words).matches()
        ? Optional.of(new Intent.Ask(new Question.Freeze(false, Optional.empty())))
        : Optional.empty();
  }

  private static Optional<Intent> changeOfSchedule(String words) {
    var form = CHANGE_SCHEDULE.matcher(words);
    return form.matches()
        ? Optional.of(
            new Intent.Ask(
                new Question.ChangeSchedule(
                    form.group("id").toLowerCase(Locale.ROOT),
                    Change.valueOf(form.group("change").toUpperCase(Locale.ROOT)))))
        : Optional.empty();
  }

  private static Optional<Intent> schedule(String words) {
    if (SCHEDULES.matcher(words).matches()) {
      return Optional.of(new Intent.Ask(new Question.Schedules()));
    }
    var form = SCHEDULE.matcher(words);
    if (!form.matches()) {
      return Optional.empty();
    }
    var text = form.group("text");
    return TimingParser.parse(text)
        .map(CommandParser::scheduled)
        .or(
            () ->
                TimingParser.beginsWithTime(text)
                    ? misunderstoodTime(words, text)
                    : Optional.empty());
  }

  private static Optional<Intent> misunderstoodTime(String words, String text) {
    return Optional.of(
        request(
            words,
            request ->
                new Intent.Unclear(
                    "I don't understand the time in `%s`. Write the time first, then the prompt: %s."
                        .formatted(code(cut(text)), TimingParser.EXAMPLES),
                    Optional.of(request))));
  }

  private static Intent scheduled(TimingParser.Parsed time) {
    return time.rest().isBlank()
        ? new Intent.Unclear(
            "Write the prompt after the time: `%s`.".formatted(Verb.SCHEDULE.example()))
        : request(
            time.rest(),
            request ->
                new Intent.Ask(
                    new Question.Schedule(time.timing(), time.zone(), Optional.of(request))));
  }

  private static String cut(String text) {
    return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…";
  }

  /// A schedule for the request of the thread's run.
  private static Optional<Intent> again(String words) {
    var form = AGAIN.matcher(words);
    return form.matches()
        ? TimingParser.parse(form.group("text"))
            .filter(time -> time.rest().isBlank())
            .map(
                time ->
                    new Intent.Ask(
                        new Question.Schedule(time.timing(), time.zone(), Optional.empty())))
        : Optional.empty();
  }

  private static Optional<Intent> question(String words) {
    var explain = EXPLAIN.matcher(words);
    if (explain.matches()) {
      return Optional.of(
          request(explain.group("text"), request -> new Intent.Ask(new Question.Explain(request))));
    }
    var options = EXPLAIN_OPTIONS.matcher(words);
    if (options.matches()) {
      return InlineOptions.alone(options.group("options"))
          .map(it -> new Intent.Ask(new Question.Explain(new Request("", it))));
    }
    var why = WHY.matcher(words);
    if (why.matches()) {
      return link(why.group("link")).map(link -> new Intent.Ask(new Question.Why(link)));
    }
    if (!BARE_QUESTION.matcher(words).matches()) {
      return Optional.empty();
    }
    return Optional.of(
        new Intent.Ask(
            switch (words.toLowerCase(Locale.ROOT)) {
              case "usage" -> new Question.Usage();
              case "whoami" -> new Question.WhoAmI();
              case "doctor" -> new Question.Doctor();
              default -> new Question.Config();
            }));
  }

  private static Optional<Intent> configure(String words) {
    for (var form : List.of(SET_PROMPT, SET, UNSET)) {
      var matcher = form.matcher(words);
      if (matcher.matches()) {
        var key = Defaults.key(matcher.group("key"));
        if (key.isEmpty()) {
          return Optional.of(
              new Intent.Unclear(
                  "There is no default `%s`. The keys are %s."
                      .formatted(matcher.group("key"), String.join(", ", Defaults.KEYS))));
        }
        var value = form == UNSET ? Optional.<String>empty() : unquoted(matcher.group("value"));
        return Optional.of(
            new Intent.Ask(
                new Question.Configure(key.get(), value, level(matcher.group("level")))));
      }
    }
    return Optional.empty();
  }

  private static Level level(@Nullable String word) {
    return word == null ? Level.ME : Level.valueOf(word.toUpperCase(Locale.ROOT));
  }

  private static Optional<String> unquoted(String value) {
    return Optional.of(value.replaceAll("^[\"\u201c]|[\"\u201d]$", "").strip());
  }

  private static Optional<Intent> incomplete(String words) {
    return NEEDS_MORE.matcher(words).matches() || SAY_WITHOUT_TEXT.matcher(words).matches()
        ? Verb.of(words.split("[\\s:]", 2)[0]).map(CommandParser::usage)
        : Optional.empty();
  }

  private static Intent usage(Verb verb) {
    return new Intent.Unclear(
        "`%s` is incomplete. Usage: `%s`. For example `%s`."
            .formatted(verb.word(), verb.usage(), verb.example()));
  }

  /// A single word that resembles a verb is probably mistyped, and a run costs money.
  private static Optional<Intent> mistyped(String words) {
    if (!ONE_WORD.matcher(words).matches()) {
      return Optional.empty();
    }
    return CommandSuggestion.nearest(words.toLowerCase(Locale.ROOT))
        .map(
            verb ->
                new Intent.Unclear(
                    "Did you mean `%s`? To start a run with this one word, write `run: %s`."
                        .formatted(verb, words)));
  }

  private static Intent request(String text, Function<Request, Intent> intent) {
    return switch (InlineOptions.request(text.strip())) {
      case InlineOptions.Parsed.Good(Request request) -> intent.apply(request);
      case InlineOptions.Parsed.Bad(String why) -> new Intent.Unclear(why);
    };
  }

  private static Optional<RunId> run(@Nullable String id) {
    return Optional.ofNullable(id).map(RunId::new);
  }

  private static Optional<URI> link(String text) {
    try {
      return Optional.of(new URI(text));
    } catch (URISyntaxException odd) {
      return Optional.empty();
    }
  }
}
