package dev.runnel.story;

import static dev.runnel.testkit.LocalSlack.ANN;
import static dev.runnel.testkit.LocalSlack.CHANNEL;

import dev.runnel.testkit.Browser;
import dev.runnel.testkit.LocalSlack;
import dev.runnel.testkit.RunnelProcess;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.concurrent.TimeUnit;

/// Takes the pictures of the README from real pages: a thread in local-slack, and the console. The
/// argument is the folder. `scripts/pictures` runs it.
public final class ReadmePictures {
  private static final String TOKEN = "token-for-the-pictures";
  private static final String AGENT =
      """
      prompt=$(cat)
      if [ "$RUNNEL_EXECUTION" = 2 ]; then
        echo "The retry has a test now, in the same pull request."
        exit
      fi
      echo "::status Reading CheckoutTest.java"
      echo "The test compares a time that it reads twice."
      echo "mvn -q test -Dtest=CheckoutTest: 200 of 200 runs pass."
      echo
      echo '**The checkout test is stable.** It raced the clock; it now waits for the event.'
      echo 'I ran it 200 times: `CheckoutTest` passes each time.'
      echo 'https://github.com/acme/shop/pull/83'
      """;

  private ReadmePictures() {}

  public static void main(String[] arguments) throws Exception {
    var pictures = Path.of(arguments.length > 0 ? arguments[0] : "docs/pictures");
    Files.createDirectories(pictures);
    var folder = Files.createTempDirectory("readme-pictures");
    var port = RunnelProcess.freePort();
    var agent = Files.writeString(folder.resolve("agent.sh"), AGENT);
    try (var slack = LocalSlack.start(URI.create("http://127.0.0.1:" + port + "/slack/events"))) {
      var settings = new HashMap<>(slack.settings());
      settings.put("RUNNEL_AGENT_COMMAND", "sh '" + agent + "'");
      settings.put("RUNNEL_CONSOLE_TOKEN", TOKEN);
      try (var _ = RunnelProcess.start(folder, port, settings);
          var browser = Browser.open()) {
        converse(slack);
        browser.shows(1100, 560, "light");
        browser.go(slack.uri());
        TimeUnit.SECONDS.sleep(2);
        browser.eval(
            "[...document.querySelectorAll('button, a, [role=button], span, div')].filter(e =>"
                + " e.children.length === 0 && /^\\d+"
                + " repl/.test(e.textContent.trim())).at(-1)?.click(); 1");
        TimeUnit.SECONDS.sleep(2);
        Files.write(pictures.resolve("thread.png"), browser.picture());
        console(browser, port, pictures);
      }
    }
    System.exit(0);
  }

  private static void converse(LocalSlack slack) throws InterruptedException {
    slack.command(CHANNEL, ANN, "/agent", "fix the flaky checkout test");
    await(slack, "The checkout test is stable");
    var root =
        slack.messages(CHANNEL).stream()
            .filter(it -> it.toString().contains("Finished") && !it.has("thread_ts"))
            .findFirst()
            .orElseThrow()
            .path("ts")
            .asText();
    slack.reply(CHANNEL, root, ANN, "add a test for the retry, too");
    await(slack, "The retry has a test now");
  }

  private static void await(LocalSlack slack, String text) throws InterruptedException {
    for (int i = 0; i < 400 && !slack.messages(CHANNEL).toString().contains(text); i++) {
      TimeUnit.MILLISECONDS.sleep(100);
    }
    TimeUnit.SECONDS.sleep(2);
  }

  private static void console(Browser browser, int port, Path pictures) throws Exception {
    var base = URI.create("http://127.0.0.1:" + port);
    browser.shows(1280, 760, "light");
    browser.go(base.resolve("/enter"));
    browser.eval(
        "document.querySelector('#token').value = '"
            + TOKEN
            + "'; document.querySelector('.token').submit(); 1");
    TimeUnit.SECONDS.sleep(2);
    browser.go(base.resolve(browser.eval("document.querySelector('.run h2 a').pathname")));
    TimeUnit.SECONDS.sleep(1);
    Files.write(pictures.resolve("console.png"), browser.picture());
  }
}
