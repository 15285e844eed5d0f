package dev.runnel.app.settings;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.service.run.Factory;
import dev.runnel.service.run.Factory.Member;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Reads `factories` of the file: groups of agents, each with a foreman.
final class FactorySettings {
  static final String PLACE = "factories";
  private static final List<String> KEYS =
      List.of("name", "alias", "description", "environment", "model", "foreman", "agents");
  private static final List<String> MEMBER_KEYS =
      List.of("prompt", "environment", "model", "harness");

  private final YamlSection part;

  private FactorySettings(Path file) {
    this.part = new YamlSection(file);
  }

  static List<Factory> read(JsonNode tree, Path file) {
    return new FactorySettings(file).factories(tree);
  }

  private List<Factory> factories(JsonNode tree) {
    if (tree.isMissingNode() || tree.isNull()) {
      return List.of();
    }
    if (!tree.isObject()) {
      throw part.wrong(PLACE, "must hold factories by their names");
    }
    return tree.properties().stream()
        .map(entry -> factory(entry.getKey(), entry.getValue()))
        .toList();
  }

  private Factory factory(String uid, JsonNode tree) {
    var place = PLACE + "." + uid;
    part.checkKeys(place, tree, KEYS);
    var agents = new ArrayList<Member>();
    tree.path("agents")
        .properties()
        .forEach(
            agent ->
                agents.add(
                    member(place + ".agents." + agent.getKey(), agent.getKey(), agent.getValue())));
    try {
      return new Factory(
          uid,
          part.text(place + ".name", tree.path("name")).orElse(uid),
          part.text(place + ".alias", tree.path("alias")),
          part.text(place + ".description", tree.path("description")),
          part.text(place + ".environment", tree.path("environment")),
          part.text(place + ".model", tree.path("model")),
          member(place + ".foreman", "foreman", tree.path("foreman")),
          agents);
    } catch (IllegalArgumentException e) {
      throw part.wrong(place, String.valueOf(e.getMessage()));
    }
  }

  private Member member(String place, String name, JsonNode tree) {
    if (tree.isMissingNode() || tree.isNull()) {
      return new Member(
          name, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }
    part.checkKeys(place, tree, MEMBER_KEYS);
    return new Member(
        name,
        part.text(place + ".prompt", tree.path("prompt")),
        part.text(place + ".environment", tree.path("environment")),
        part.text(place + ".model", tree.path("model")),
        part.text(place + ".harness", tree.path("harness")));
  }
}
