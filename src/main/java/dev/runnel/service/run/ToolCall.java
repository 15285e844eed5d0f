package dev.runnel.service.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.text.Redactor;
import dev.runnel.text.Truncation;
import dev.runnel.text.VisibleText;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/// A tool with its input, as an agent wants to use it.
public record ToolCall(String tool, ObjectNode input) {
  private static final String SHELL = "Bash";
  private static final Set<String> FILE_TOOLS = Set.of("Edit", "Write", "NotebookEdit");
  private static final int MAX_NAME = 100;
  private static final int SHOWN = 1_500;
  private static final int SHOWN_MEMBERS = 30;

  /// What Slack shows as quotes, and as a name: in a shell it means something else.
  private static final Pattern REWRITTEN = Pattern.compile("`{3,}|<(?=@[A-Z0-9]+>)");

  private static final String REST = "see the transcript of the run";

  /// What a permission for the rest of the run covers.
  private record Scope(String key, String words) {}

  /// The name of the tool for people and agents, which can hold no markup.
  public String name() {
    var plain = tool.replaceAll("[^A-Za-z0-9_.-]", "_");
    return plain.substring(0, Math.min(MAX_NAME, plain.length()));
  }

  /// A digest of the tool and of all input that has an effect: a permission for one call permits no
  /// other.
  public String digest() {
    return digest(tool + "\n" + canonical(withoutDescription()));
  }

  /// A digest of what a permission for the rest of the run covers.
  public String scopeDigest() {
    return digest(scope().key());
  }

  /// What a permission for the rest of the run covers, for people.
  public String scopeWords() {
    return scope().words();
  }

  private Scope scope() {
    if (tool.equals(SHELL)) {
      return same("the same command");
    }
    for (var member : Set.of("file_path", "notebook_path")) {
      var file = input.path(member).asText("");
      if (FILE_TOOLS.contains(tool) && !file.isBlank()) {
        return new Scope(tool + "\nfile " + file, "any `" + tool + "` of this file");
      }
    }
    if (tool.equals("WebFetch")) {
      var host = host(input.path("url").asText(""));
      return host.isEmpty()
          ? same("the same address")
          : new Scope(tool + "\nhost " + host, "any `WebFetch` from " + host);
    }
    // The permission rules of Claude Code know tools of servers by their name only, too.
    return tool.startsWith("mcp__")
        ? new Scope(tool + "\nall", "any other use of this tool")
        : same("the same call");
  }

  private Scope same(String words) {
    return new Scope("call " + digest(), words);
  }

  private static String host(String url) {
    try {
      var host = URI.create(url).getHost();
      return host == null ? "" : host;
    } catch (IllegalArgumentException _) {
      return "";
    }
  }

  /// The input for people, with characters that cannot be seen written out, so that nothing of it
  /// is hidden.
  ///
  /// @param redact removes secrets
  public String shown(UnaryOperator<String> redact) {
    return String.join("\n", members(redact));
  }

  /// Whether people can be shown all that has an effect: redaction removes more than a secret where
  /// a private key begins.
  public boolean canBeShown() {
    return !Redactor.containsPrivateKey(withoutDescription().toString());
  }

  /// As [#shown], shortened for a message. Short members come before long ones then, so that none
  /// of them pushes another out of the message.
  public String summary(UnaryOperator<String> redact) {
    var members = members(redact);
    var whole = String.join("\n", members);
    if (whole.length() <= SHOWN) {
      return whole;
    }
    var shortest =
        members.stream()
            .sorted(Comparator.comparingInt(String::length))
            .limit(SHOWN_MEMBERS)
            .toList();
    var lines = new ArrayList<String>();
    var room = SHOWN;
    for (var member : shortest) {
      var share = room / (shortest.size() - lines.size());
      lines.add(cut(member, share));
      room -= Math.min(share, member.length());
    }
    if (members.size() > shortest.size()) {
      lines.add("(%,d more members: %s)".formatted(members.size() - shortest.size(), REST));
    }
    return String.join("\n", lines);
  }

  private static String cut(String member, int longest) {
    if (member.length() <= longest) {
      return member;
    }
    var head = Truncation.head(member, longest);
    return "%s…\n(%,d more characters: %s)".formatted(head, member.length() - head.length(), REST);
  }

  /// The members of the input. A command stands alone. Further lines of another value are indented,
  /// so that they do not look like other members.
  private List<String> members(UnaryOperator<String> redact) {
    return withoutDescription().properties().stream()
        .map(
            member -> {
              var value =
                  member.getValue().isTextual()
                      ? member.getValue().asText()
                      : member.getValue().toString();
              var shown = visible(redact.apply(value));
              return isCommand(member.getKey())
                  ? shown
                  : visible(redact.apply(member.getKey())).replace("\n", "\\u{a}")
                      + ": "
                      + shown.replace("\n", "\n  ");
            })
        .toList();
  }

  private static String visible(String text) {
    return REWRITTEN
        .matcher(VisibleText.of(text))
        .replaceAll(
            found ->
                found.group().equals("<") ? "\\\\u{3c}" : "\\\\u{60}×" + found.group().length());
  }

  private boolean isCommand(String member) {
    return tool.equals(SHELL) && member.equals("command");
  }

  /// The description of a command has no effect, and agents word it anew each time.
  private ObjectNode withoutDescription() {
    var kept = ServiceJson.newObject();
    for (var member : input.properties()) {
      if (!tool.equals(SHELL) || !member.getKey().equals("description")) {
        kept.set(member.getKey(), member.getValue());
      }
    }
    return kept;
  }

  /// With sorted members, so that equal inputs have equal texts.
  private static String canonical(JsonNode node) {
    if (node.isObject()) {
      var members = new TreeMap<String, String>();
      for (Map.Entry<String, JsonNode> member : node.properties()) {
        members.put(ServiceJson.write(member.getKey()), canonical(member.getValue()));
      }
      return members.toString();
    }
    if (node.isArray()) {
      var text = new StringBuilder("[");
      node.forEach(each -> text.append(canonical(each)).append(','));
      return text.append(']').toString();
    }
    return node.toString();
  }

  private static String digest(String text) {
    try {
      var digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Every Java has SHA-256", impossible);
    }
  }

  /// Leaves out the input, which is private.
  @Override
  public String toString() {
    return "ToolCall[" + tool + "]";
  }
}
