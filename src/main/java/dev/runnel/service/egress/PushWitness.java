package dev.runnel.service.egress;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sees which commits the agent of an execution pushes through a [GitGateway], as a proof that the
/// agent cannot forge: of the commits that a push sets branches to, it reports those that no ref of
/// the server has yet. A commit that a branch or a pull request of others has is not reported, so
/// whoever pushes it once more proves nothing.
///
/// Whether the server accepts the push shows in its refs later. Nobody else can set a branch to a
/// commit that is reported, unless they have that commit from the agent, or the agent has it from
/// them before they push it.
public final class PushWitness {
  private static final Logger log = LoggerFactory.getLogger(PushWitness.class);
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int MAX_BODY = 64 * 1024;
  private static final String SERVICE = "# service=git-upload-pack";

  /// A line of the refs that a server offers: a length, the commit, the ref.
  private static final Pattern OFFERED =
      Pattern.compile("(?:0000)?[0-9a-f]{4}(?<commit>[0-9a-f]{40,64}) \\S.*");

  /// A commit that a push sets a branch to.
  public record Push(URI repository, String branch, String commit) {}

  private final Consumer<Push> seen;

  /// @param seen receives each push before the server gets it; called by several threads
  public PushWitness(Consumer<Push> seen) {
    this.seen = seen;
  }

  /// Looks at a request that the gateway accepted, and reports what it pushes. The body can be read
  /// from its beginning afterwards.
  void look(GitGateway gateway, List<String> head, URI target, InputStream body)
      throws IOException {
    if (!gateway.isPush(head.getFirst().split(" ", 2)[0], target)) {
      return;
    }
    body.mark(MAX_BODY);
    // What is beyond the mark could not be read once more.
    var updates = GitPush.updates(head, new Beginning(body));
    body.reset();
    if (updates.isEmpty()) {
      return;
    }
    try {
      var known = known(gateway);
      updates.stream()
          .filter(each -> !known.contains(each.commit()))
          .forEach(
              each -> seen.accept(new Push(gateway.repository(), each.branch(), each.commit())));
    } catch (IOException e) {
      log.warn("push not seen repository={} why={}", gateway.repository(), e.toString());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// The commits of all refs that the server offers.
  private static Set<String> known(GitGateway gateway) throws IOException, InterruptedException {
    var commits = new HashSet<String>();
    try (var client = HttpClient.newBuilder().connectTimeout(PATIENCE).build()) {
      var request = HttpRequest.newBuilder(gateway.refs()).timeout(PATIENCE);
      request.header("Authorization", gateway.authorization());
      var answer = client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      try (var lines =
          new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.ISO_8859_1))) {
        var first = lines.readLine();
        if (answer.statusCode() != 200 || first == null || !first.endsWith(SERVICE)) {
          throw new IOException("status " + answer.statusCode());
        }
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
          var offered = OFFERED.matcher(line);
          if (offered.matches()) {
            commits.add(offered.group("commit"));
          }
        }
      }
    }
    return commits;
  }

  /// As much of a stream as can be read twice.
  private static final class Beginning extends InputStream {
    private final InputStream in;
    private int left = MAX_BODY;

    Beginning(InputStream in) {
      this.in = in;
    }

    @Override
    public int read() throws IOException {
      return left-- > 0 ? in.read() : -1;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      if (left <= 0 && length > 0) {
        return -1;
      }
      var count = in.read(bytes, offset, Math.min(length, left));
      left -= Math.max(count, 0);
      return count;
    }
  }
}
