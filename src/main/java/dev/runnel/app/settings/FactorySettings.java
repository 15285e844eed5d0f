package dev.runnel.app.settings;

import dev.runnel.service.run.Factory;
import dev.runnel.service.run.Factory.Member;
import java.util.ArrayList;
import java.util.List;

/// Reads `factories` of the file: groups of agents, each with a foreman.
final class FactorySettings {
  static final String PLACE = "factories";
  private static final List<String> KEYS =
      List.of("name", "alias", "description", "environment", "model", "foreman", "agents");
  private static final List<String> MEMBER_KEYS =
      List.of("prompt", "environment", "model", "harness");

  private FactorySettings() {}

  static List<Factory> read(YamlSection section) {
    return section.entries("must hold factories by their names").entrySet().stream()
        .map(entry -> factory(entry.getKey(), entry.getValue()))
        .toList();
  }

  private static Factory factory(String uid, YamlSection section) {
    section.checkKeys(KEYS);
    var agents = new ArrayList<Member>();
    section
        .at("agents")
        .tree()
        .fieldNames()
        .forEachRemaining(name -> agents.add(member(name, section.at("agents").at(name))));
    return section.read(
        () ->
            new Factory(
                uid,
                section.text("name").orElse(uid),
                section.text("alias"),
                section.text("description"),
                section.text("environment"),
                section.text("model"),
                member("foreman", section.at("foreman")),
                agents));
  }

  private static Member member(String name, YamlSection section) {
    if (!section.isAbsent()) {
      section.checkKeys(MEMBER_KEYS);
    }
    return new Member(
        name,
        section.text("prompt"),
        section.text("environment"),
        section.text("model"),
        section.text("harness"));
  }
}
