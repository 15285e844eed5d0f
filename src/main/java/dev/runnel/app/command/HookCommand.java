package dev.runnel.app.command;

import dev.runnel.core.model.run.Request;
import dev.runnel.surface.hook.Hook;
import dev.runnel.surface.hook.HookTrial;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// `./runnel hook NAME [FILE]`: shows what a configured hook would do with a sample. Nothing is
/// started, and the sender's proof is not checked.
public record HookCommand(List<Hook> hooks, PrintStream out, PrintStream err) {
  /// @param sample a file, or `-`
  /// @return the exit code: 0 if the sample would start or stop a run
  public int run(String name, String sample) {
    var hook = hooks.stream().filter(each -> each.name().equals(name)).findFirst();
    if (hook.isEmpty()) {
      var names = hooks.stream().map(Hook::name).toList();
      err.println(
          "There is no hook %s in the configuration.%s"
              .formatted(
                  name,
                  names.isEmpty()
                      ? " Hooks are written under hooks: in runnel.yaml."
                      : " There are: " + String.join(", ", names) + "."));
      return 1;
    }
    byte[] body;
    try {
      body = sample.equals("-") ? System.in.readAllBytes() : Files.readAllBytes(Path.of(sample));
    } catch (IOException e) {
      err.println("%s cannot be read.".formatted(sample));
      return 1;
    }
    return switch (HookTrial.of(hook.get(), body)) {
      case HookTrial.Nothing(var why) -> {
        err.println(why);
        yield 1;
      }
      case HookTrial.Stop(var conversation) -> {
        out.println("It would stop the run of the conversation " + conversation + ".");
        yield 0;
      }
      case HookTrial.Start(var conversation, var delivery, var request) -> {
        show(conversation, delivery, request);
        yield 0;
      }
    };
  }

  private void show(String conversation, String delivery, Request request) {
    out.println("Conversation  " + conversation);
    out.println("Delivery      " + delivery);
    var options = request.options();
    options.title().ifPresent(it -> out.println("Title         " + it));
    options.profile().ifPresent(it -> out.println("Profile       " + it));
    options.environment().ifPresent(it -> out.println("Environment   " + it));
    options.model().ifPresent(it -> out.println("Model         " + it));
    options.skill().ifPresent(it -> out.println("Skill         " + it));
    options.factory().ifPresent(it -> out.println("Factory       " + it));
    out.println();
    out.println(request.text());
  }
}
