package dev.runnel.story;

import static dev.runnel.testkit.LocalSlack.ANN;
import static dev.runnel.testkit.LocalSlack.BOB;
import static dev.runnel.testkit.LocalSlack.BOT;
import static dev.runnel.testkit.LocalSlack.CHANNEL;

import dev.runnel.testkit.LocalSlack;
import dev.runnel.testkit.RunnelProcess;
import java.net.URI;
import java.nio.file.Files;
import java.util.HashMap;

/// Serves Runnel with the Slack emulator and threads of every kind, to look at them in a browser.
public final class SlackLook {
  private static final String AGENT =
      """
      prompt=$(cat)
      case "$prompt" in
        *slow*) echo "::status Running the tests of \\`checkout\\`, 3 of 12"; sleep 3600 ;;
        *rename*) echo "Other services read this table."
                  echo "::blocked Shall I keep a **view** under the old name? Two services still read \\`customer\\`." ;;
        *break*) echo "fatal: could not read from the remote repository" >&2; exit 1 ;;
        *audit*) i=0; while [ $i -lt 400 ]; do i=$((i+1))
                   echo "- Finding $i: \\`module-$i\\` uses the **old** client ([issue](https://example.com/i/$i))"
                 done ;;
        *) cat <<'END'
      I looked at it.

      ## What I found
      The test **failed** because the clock was `real`, see [the log](https://example.com/log).
      1. moved the clock
         - in *one* place
      2. - [x] ran the tests
         - [ ] wrote the docs
      > It is only flaky on ~~Mondays~~ Sundays.
      | Test | Before | After |
      |:-----|-------:|------:|
      | `CheckoutTest` | 12.4 s | 0.8 s |
      | `BasketTest` | 3.0 s | 2.9 s |
      ```java
      if (a < b && c) { return "<!channel>"; }
      ```
      https://github.com/acme/shop/pull/83
      END
      ;;
      esac
      """;

  private SlackLook() {}

  public static void main(String[] arguments) throws Exception {
    var folder = Files.createTempDirectory("slack-look");
    var port = RunnelProcess.freePort();
    var agent = Files.writeString(folder.resolve("agent.sh"), AGENT);
    try (var slack = LocalSlack.start(URI.create("http://127.0.0.1:" + port + "/slack/events"))) {
      var settings = new HashMap<>(slack.settings());
      settings.put("RUNNEL_AGENT_COMMAND", "sh '" + agent + "'");
      settings.put("RUNNEL_PUBLIC_URL", "https://runnel.example.com");
      try (var runnel = RunnelProcess.start(folder, port, settings)) {
        var mention = "<@" + BOT + "> ";
        slack.command(CHANNEL, ANN, "/agent", "fix the flaky checkout test");
        slack.command(CHANNEL, BOB, "/agent", "rename the customer table");
        slack.command(CHANNEL, BOB, "/agent", "break it --model fast --title \"Break it\"");
        slack.command(CHANNEL, ANN, "/agent", "audit all modules");
        slack.message(CHANNEL, ANN, mention + "be slow about the checkout");
        var stopped = slack.message(CHANNEL, BOB, mention + "be slow about the basket");
        Thread.sleep(8_000);
        slack.reply(CHANNEL, stopped, BOB, "stop");
        System.out.println(slack.uri() + " " + runnel.url());
        Thread.sleep(Long.parseLong(arguments[0]) * 1_000);
      }
    }
  }
}
