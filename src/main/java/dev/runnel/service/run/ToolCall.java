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
  private static final int MAX_SUMMARY_LENGTH = 1_500;
  private static final int MAX_SUMMARY_MEMBERS = 30;

  /// Text that Slack would render as a code block or a mention, but that has another meaning in a
  /// shell.
  private static final Pattern MARKUP = Pattern.compile("`{3,}|<(?=@[A-Z0-9]+>)");

  private static final String SEE_TRANSCRIPT = "see the transcript of the run";

  /// The calls that a permission for the rest of the run covers.
  private record Scope(String key, String description) {}

  /// The name of the tool for people and agents, without markup.
  public String name() {
    var plain = tool.replaceAll("[^A-Za-z0-9_.-]", "_");
    return plain.substring(0, Math.min(MAX_NAME, plain.length()));
  }

  /// A digest of the tool and all input that has an effect, so that a permission for one call
  /// permits no other.
  public String digest() {
    return digest(tool + "\n" + canonical(withoutDescription()));
  }

  /// A digest of what a permission for the rest of the run covers.
  public String scopeDigest() {
    return digest(scope().key());
  }

  /// What a permission for the rest of the run covers, for people.
  public String scopeDescription() {
    return scope().description();
  }

  private Scope scope() {
    if (tool.equals(SHELL)) {
      return identicalCall("the same command");
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
          ? identicalCall("the same address")
          : new Scope(tool + "\nhost " + host, "any `WebFetch` from " + host);
    }
    // The permission rules of Claude Code also identify MCP tools by their name only.
    return tool.startsWith("mcp__")
        ? new Scope(tool + "\nall", "any other use of this tool")
        : identicalCall("the same call");
  }

  private Scope identicalCall(String description) {
    return new Scope("call " + digest(), description);
  }

  private static String host(String url) {
    try {
      var host = URI.create(url).getHost();
      return host == null ? "" : host;
    } catch (IllegalArgumentException _) {
      return "";
    }
  }

  /// The input for people, with invisible characters escaped, so that nothing is hidden.
  ///
  /// @param redact removes secrets
  public String display(UnaryOperator<String> redact) {
    return String.join("\n", members(redact));
  }

  /// Whether people can see all input that has an effect. Redaction of a private key removes more
  /// than the key itself.
  public boolean isDisplayable() {
    return !Redactor.containsPrivateKey(withoutDescription().toString());
  }

  /// As [#display], shortened for a message. Short members then come before long ones, so that all
  /// of them fit.
  public String summary(UnaryOperator<String> redact) {
    var members = members(redact);
    var whole = String.join("\n", members);
    if (whole.length() <= MAX_SUMMARY_LENGTH) {
      return whole;
    }
    var shortest =
        members.stream()
            .sorted(Comparator.comparingInt(String::length))
            .limit(MAX_SUMMARY_MEMBERS)
            .toList();
    var lines = new ArrayList<String>();
    var room = MAX_SUMMARY_LENGTH;
    for (var member : shortest) {
      var share = room / (shortest.size() - lines.size());
      lines.add(shortened(member, share));
      room -= Math.min(share, member.length());
    }
    if (members.size() > shortest.size()) {
      lines.add(
          "(%,d more members: %s)".formatted(members.size() - shortest.size(), SEE_TRANSCRIPT));
    }
    return String.join("\n", lines);
  }

  private static String shortened(String member, int longest) {
    if (member.length() <= longest) {
      return member;
    }
    var head = Truncation.head(member, longest);
    return "%s…\n(%,d more characters: %s)"
        .formatted(head, member.length() - head.length(), SEE_TRANSCRIPT);
  }

  /// The members of the input as `name: value`, or the value alone for a command. Further lines of
  /// a value are indented, so that they do not look like other members.
  private List<String> members(UnaryOperator<String> redact) {
    return withoutDescription().properties().stream()
        .map(
            member -> {
              var value =
                  member.getValue().isTextual()
                      ? member.getValue().asText()
                      : member.getValue().toString();
              var display = visible(redact.apply(value));
              return isCommand(member.getKey())
                  ? display
                  : visible(redact.apply(member.getKey())).replace("\n", "\\u{a}")
                      + ": "
                      + display.replace("\n", "\n  ");
            })
        .toList();
  }

  private static String visible(String text) {
    return MARKUP
        .matcher(VisibleText.of(text))
        .replaceAll(
            found ->
                found.group().equals("<") ? "\\\\u{3c}" : "\\\\u{60}×" + found.group().length());
  }

  private boolean isCommand(String member) {
    return tool.equals(SHELL) && member.equals("command");
  }

  /// The description of a command has no effect, and agents phrase it differently each time.
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
