package dev.runnel.testkit;

import dev.runnel.service.workspace.CommandRunner;
import dev.runnel.service.workspace.StoppedException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Runs nothing: of all programs it answers only `git ls-remote`, with the refs that it was given.
/// Subclasses answer more.
public class FakeCommandRunner implements CommandRunner {
  private final Map<String, String> refs = new TreeMap<>();

  /// Puts a branch or another ref on the server.
  public void put(String ref, String commit) {
    refs.put(ref, commit);
  }

  @Override
  public Result program(List<String> command, Path folder, Map<String, String> variables)
      throws StoppedException, InterruptedException {
    if (!command.contains("ls-remote")) {
      throw new AssertionError(command);
    }
    var listed =
        refs.entrySet().stream()
            .map(each -> each.getValue() + "\t" + each.getKey() + "\n")
            .collect(Collectors.joining());
    return new Result(0, listed, "");
  }

  @Override
  public Result script(String command, Path folder) throws StoppedException, InterruptedException {
    throw new AssertionError(command);
  }

  @Override
  public void reportProgress(String progress) {}

  @Override
  public void requireNotStopped() throws StoppedException {}

  @Override
  public boolean separatesAgents() {
    return false;
  }
}
