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
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Observes which commits the agent of an execution pushes through a [GitGateway], as proof that
/// the agent cannot forge. Of the commits that a push sets branches to, it reports those that no
/// ref of the server points to yet. So pushing a commit again that a branch or pull request of
/// others already has proves nothing.
///
/// Whether the server accepts the push can be seen in its refs later. Nobody else can set a branch
/// to a reported commit, unless they got that commit from the agent, or the agent got it from them
/// before they pushed it.
public final class PushWitness {
  private static final Logger log = LoggerFactory.getLogger(PushWitness.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final int MAX_BODY = 64 * 1024;
  private static final String SERVICE = "# service=git-upload-pack";

  /// A line of the server's ref advertisement: length, commit, ref.
  private static final Pattern ADVERTISED_REF =
      Pattern.compile("^(?:0000)?[0-9a-f]{4}(?<commit>[0-9a-f]{40,64}) \\S.*");

  /// A commit that a push sets a branch to.
  public record Push(URI repository, String branch, String commit) {}

  private final Consumer<Push> onPush;

  /// @param onPush receives each push before the server gets it; called by several threads
  public PushWitness(Consumer<Push> onPush) {
    this.onPush = onPush;
  }

  /// Inspects a request that the gateway accepted, and reports the commits that it pushes.
  /// Afterwards, the body can be read from its beginning.
  void inspect(GitGateway gateway, RequestHead head, URI target, InputStream body)
      throws IOException {
    if (!gateway.isPush(head.method(), target)) {
      return;
    }
    body.mark(MAX_BODY);
    // Bytes beyond the mark limit could not be read again.
    var updates = PushCommands.updates(head, new LimitedInput(body, head));
    body.reset();
    if (updates.isEmpty()) {
      return;
    }
    try {
      newCommits(gateway, updates)
          .forEach(
              each -> onPush.accept(new Push(gateway.repository(), each.branch(), each.commit())));
    } catch (IOException e) {
      log.warn(
          "cannot list refs, push not recorded repository={} why={}",
          gateway.repository(),
          e.toString());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// The updates to commits that no ref of the server points to. The refs are not kept, because a
  /// repository may have any number.
  private static List<PushCommands.Update> newCommits(
      GitGateway gateway, List<PushCommands.Update> updates)
      throws IOException, InterruptedException {
    var rest = new ArrayList<>(updates);
    try (var client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build()) {
      var request = HttpRequest.newBuilder(gateway.refs()).timeout(TIMEOUT);
      request.header("Authorization", gateway.authorization());
      var response = client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      try (var lines =
          new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.ISO_8859_1))) {
        var first = lines.readLine();
        if (response.statusCode() != 200 || first == null || !first.endsWith(SERVICE)) {
          throw new IOException("status " + response.statusCode());
        }
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
          var ref = ADVERTISED_REF.matcher(line);
          if (ref.matches()) {
            rest.removeIf(each -> each.commit().equals(ref.group("commit")));
          }
        }
      }
    }
    return rest;
  }

  /// The part of a body that can be read twice.
  private static final class LimitedInput extends InputStream {
    private final InputStream in;
    private int remaining;

    LimitedInput(InputStream in, RequestHead head) {
      this.in = in;
      this.remaining = head.isChunked() ? MAX_BODY : (int) Math.min(MAX_BODY, head.length());
    }

    @Override
    public int read() throws IOException {
      return remaining-- > 0 ? in.read() : -1;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      if (remaining <= 0 && length > 0) {
        return -1;
      }
      var count = in.read(bytes, offset, Math.min(length, remaining));
      remaining -= Math.max(count, 0);
      return count;
    }
  }
}
