package dev.runnel.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

/// The rules of Slack's published schema for app manifests (`slackapi/manifest-schema`, first
/// version, and what Slack's reference added since), for all parts that an app like ours may have.
public final class SlackManifestRules {
  private static final Rule URL = new Text(1, 3_000, "https?://.*");
  private static final Rule FLAG = new Flag();
  private static final Rule WHOLE = new Whole();

  private static final Rule MANIFEST =
      fields(
          Set.of("display_information"),
          Map.of(
              "_metadata",
              fields(Map.of("major_version", WHOLE, "minor_version", WHOLE)),
              "display_information",
              fields(
                  Set.of("name"),
                  Map.of(
                      "name", text(1, 35),
                      "description", text(1, 140),
                      "long_description", text(175, 4_000),
                      "background_color", new Text(4, 7, "#([0-9a-fA-F]{3}){1,2}"))),
              "features",
              fields(
                  Map.of(
                      "app_home",
                      fields(
                          Map.of(
                              "home_tab_enabled", FLAG,
                              "messages_tab_enabled", FLAG,
                              "messages_tab_read_only_enabled", FLAG)),
                      "bot_user",
                      fields(
                          Set.of("display_name"),
                          Map.of(
                              "display_name",
                              new Text(1, 80, "[a-z0-9._-]+"),
                              "always_online",
                              FLAG)),
                      "shortcuts",
                      many(1, 10, shortcut()),
                      "slash_commands",
                      many(1, 50, command()),
                      "unfurl_domains",
                      many(1, 5, text(1, 255)),
                      "assistant_view",
                      view("assistant_description"),
                      "agent_view",
                      view("agent_description"))),
              "oauth_config",
              fields(
                  Map.of(
                      "redirect_urls",
                      many(0, 1_000, text(1, 2_500)),
                      "token_management_enabled",
                      FLAG,
                      "pkce_enabled",
                      FLAG,
                      "scopes",
                      fields(
                          Map.of(
                              "bot", many(0, 255, text(1, 50)),
                              "user", many(0, 255, text(1, 50)),
                              "bot_optional", many(0, 255, text(1, 50)),
                              "user_optional", many(0, 255, text(1, 50)))))),
              "settings",
              fields(
                  Map.of(
                      "allowed_ip_address_ranges",
                      many(1, 50, text(1, 50)),
                      "event_subscriptions",
                      fields(
                          Map.of(
                              "request_url", URL,
                              "bot_events", many(0, 100, text(1, 50)),
                              "user_events", many(0, 100, text(1, 50)))),
                      "interactivity",
                      fields(
                          Set.of("is_enabled"),
                          Map.of(
                              "is_enabled", FLAG,
                              "request_url", URL,
                              "message_menu_options_url", URL)),
                      "org_deploy_enabled",
                      FLAG,
                      "socket_mode_enabled",
                      FLAG,
                      "token_rotation_enabled",
                      FLAG))));

  private SlackManifestRules() {}

  /// @return what breaks a rule, a line each, beginning with where
  public static List<String> broken(JsonNode manifest) {
    List<String> broken = new ArrayList<>();
    MANIFEST.check("", manifest, broken);
    return broken;
  }

  private static Rule shortcut() {
    return fields(
        Set.of("name", "type", "callback_id", "description"),
        Map.of(
            "name", text(1, 24),
            "type", new Text(1, 10, "message|global"),
            "callback_id", text(1, 255),
            "description", text(1, 150)));
  }

  private static Rule command() {
    return fields(
        Set.of("command", "description"),
        Map.of(
            "command",
            new Text(2, 32, "/.*"),
            "url",
            URL,
            "description",
            text(1, 2_000),
            "usage_hint",
            text(1, 1_000),
            "should_escape",
            FLAG));
  }

  private static Rule view(String description) {
    var prompt =
        fields(
            Set.of("title", "message"), Map.of("title", text(1, 300), "message", text(1, 3_000)));
    return fields(
        Set.of(description),
        Map.of(description, text(1, 300), "suggested_prompts", many(0, 4, prompt)));
  }

  private static Rule text(int shortest, int longest) {
    return new Text(shortest, longest, "(?s).*");
  }

  private static Rule many(int fewest, int most, Rule each) {
    return new Many(fewest, most, each);
  }

  private static Rule fields(Map<String, Rule> byName) {
    return new Fields(Set.of(), byName);
  }

  private static Rule fields(Set<String> required, Map<String, Rule> byName) {
    return new Fields(required, byName);
  }

  private sealed interface Rule {
    void check(String where, JsonNode node, List<String> broken);
  }

  private record Flag() implements Rule {
    @Override
    public void check(String where, JsonNode node, List<String> broken) {
      if (!node.isBoolean()) {
        broken.add(where + ": true or false");
      }
    }
  }

  private record Whole() implements Rule {
    @Override
    public void check(String where, JsonNode node, List<String> broken) {
      if (!node.isIntegralNumber()) {
        broken.add(where + ": a whole number");
      }
    }
  }

  private record Text(int shortest, int longest, String form) implements Rule {
    @Override
    public void check(String where, JsonNode node, List<String> broken) {
      if (!node.isTextual()) {
        broken.add(where + ": a text");
        return;
      }
      var text = node.textValue();
      if (text.length() < shortest || text.length() > longest) {
        broken.add("%s: %d to %d characters".formatted(where, shortest, longest));
      } else if (!Pattern.matches(form, text)) {
        broken.add(where + ": of the form " + form);
      }
    }
  }

  private record Many(int fewest, int most, Rule each) implements Rule {
    @Override
    public void check(String where, JsonNode node, List<String> broken) {
      if (!node.isArray()) {
        broken.add(where + ": a list");
        return;
      }
      if (node.size() < fewest || node.size() > most) {
        broken.add("%s: %d to %d of them".formatted(where, fewest, most));
      }
      if (StreamSupport.stream(node.spliterator(), false).distinct().count() < node.size()) {
        broken.add(where + ": each once");
      }
      for (var i = 0; i < node.size(); i++) {
        each.check(where + "/" + i, node.get(i), broken);
      }
    }
  }

  private record Fields(Set<String> required, Map<String, Rule> byName) implements Rule {
    @Override
    public void check(String where, JsonNode node, List<String> broken) {
      if (!node.isObject()) {
        broken.add(where + ": an object");
        return;
      }
      new TreeSet<>(required)
          .stream()
              .filter(it -> !node.has(it))
              .forEach(it -> broken.add(where + "/" + it + ": missing"));
      node.properties()
          .forEach(
              field -> {
                var at = where + "/" + field.getKey();
                var rule = byName.get(field.getKey());
                if (rule == null) {
                  broken.add(at + ": unknown");
                } else {
                  rule.check(at, field.getValue(), broken);
                }
              });
    }
  }
}
