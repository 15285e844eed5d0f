package dev.runnel.console.access;

import dev.runnel.core.model.ApiRuns;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.run.RunId;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// A decoded form of the console's pages. Accessors throw `IllegalArgumentException` for malformed
/// fields.
///
/// - `action`: `start`, `say`, `stop`, `retry`, `approve`, `decline`, `discard`, `everywhere`
/// - `page`, `turn`: the page's key, and the number of the submission on that page: together the
///   delivery's id, so that a double click has one effect
/// - `token`, `to`: the token to sign in with, and the page to go to; `link`: instead, the link's
/// - `text`, `conversation`, `run`, `link`, `queue`, `id`: as the action needs
///
/// @param items the values of the fields `item`, of which a form may have several: `LANE ID`
public record Form(Map<String, String> fields, List<String> items) {
  private static final String ITEM = "item";

  /// Maximum size of a form, enough for a prompt of many pages.
  public static final int MAX_BYTES = 64 * 1024;

  private static final Pattern TURN = Pattern.compile("\\d{1,9}");

  public Form {
    fields = Map.copyOf(fields);
    items = List.copyOf(items);
  }

  public static Form parse(RawRequest request) {
    var type = request.header("content-type").orElse("");
    if (!type.startsWith("application/x-www-form-urlencoded")) {
      throw new IllegalArgumentException("Not a form");
    }
    var fields = new HashMap<String, String>();
    var items = new ArrayList<String>();
    for (var pair : new String(request.body(), StandardCharsets.UTF_8).split("&", -1)) {
      int equals = pair.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException("Not a form");
      }
      var name = decode(pair.substring(0, equals));
      var value = decode(pair.substring(equals + 1));
      if (name.equals(ITEM)) {
        items.add(value);
      } else {
        fields.put(name, value);
      }
    }
    return new Form(fields, items);
  }

  private static String decode(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  public String action() {
    return field("action");
  }

  public String page() {
    return field("page");
  }

  String text() {
    return field("text").replace("\r\n", "\n");
  }

  /// The delivery's id: the page key without its signature, and the submission number.
  String key() {
    var turn = field("turn");
    if (!TURN.matcher(turn).matches()) {
      throw new IllegalArgumentException("Not a turn");
    }
    return page().substring(0, page().indexOf('.')) + "-" + turn;
  }

  Conversation conversation() {
    return Conversation.parse(field("conversation"));
  }

  /// Whether its run was started through the API, so that its request is not known here.
  boolean isAboutRunOfApi() {
    return conversation().surface().equals(ApiRuns.SURFACE);
  }

  RunId run() {
    return new RunId(field("run"));
  }

  public String token() {
    return field("token");
  }

  public String to() {
    return field("to");
  }

  public String queue() {
    return field("queue");
  }

  public String id() {
    return field("id");
  }

  /// The secret of a link to sign in with; empty if the form has none.
  public String signInLink() {
    return field("link");
  }

  Optional<URI> link() {
    return ConsoleSurface.web(field("link"));
  }

  private String field(String name) {
    return fields.getOrDefault(name, "");
  }
}
