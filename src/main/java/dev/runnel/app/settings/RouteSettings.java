package dev.runnel.app.settings;

import dev.runnel.core.scope.Profiles;
import dev.runnel.core.scope.Route;
import dev.runnel.core.scope.Routes;
import java.util.List;
import java.util.stream.Stream;

/// Reads `routes` of the file: rules that choose options of runs by what they are about.
final class RouteSettings {
  static final String PLACE = "routes";
  private static final List<String> CONDITIONS = List.of("words", "labels", "where");

  /// The base prompt belongs to a place, not to a request.
  private static final List<String> OPTIONS =
      RunDefaultsSettings.KEYS.stream().filter(key -> !key.equals("base_prompt")).toList();

  private static final List<String> KEYS =
      Stream.concat(CONDITIONS.stream(), OPTIONS.stream()).toList();

  private RouteSettings() {}

  static Routes read(YamlSection section, Profiles profiles) {
    return new Routes(
        section
            .elements("must be a list of rules, like - {words: [checkout], profile: web}")
            .stream()
            .map(each -> route(each, profiles))
            .toList());
  }

  private static Route route(YamlSection section, Profiles profiles) {
    section.checkKeys(KEYS);
    var options = RunDefaultsSettings.values(section, OPTIONS, profiles);
    if (options.isEmpty()) {
      throw section.wrong("chooses nothing; name one of " + String.join(", ", OPTIONS));
    }
    var where = section.at("where");
    for (var each : where.oneOrMore()) {
      if (!RunDefaultsSettings.WHERE.matcher(each).matches()) {
        throw where.wrong("is no place; places read like slack or \"github:acme/shop\"");
      }
    }
    var rule =
        new Route(
            section.at("words").oneOrMore(),
            section.at("labels").oneOrMore(),
            where.oneOrMore(),
            options);
    if (rule.words().isEmpty() && rule.labels().isEmpty() && rule.places().isEmpty()) {
      throw section.wrong("has no condition; name one of " + String.join(", ", CONDITIONS));
    }
    return rule;
  }
}
