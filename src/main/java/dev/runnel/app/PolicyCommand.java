package dev.runnel.app;

import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.KnownPlatforms;
import dev.runnel.core.model.Actor;
import dev.runnel.core.model.Admission;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.GroupLookup;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Origin;
import dev.runnel.core.model.Request;
import dev.runnel.core.model.SurfaceId;
import dev.runnel.core.policy.AccessRequest;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.port.CredentialRefused;
import dev.runnel.core.port.Surface;
import dev.runnel.database.Database;
import java.io.PrintStream;
import java.net.URI;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// `./runnel policy test WHO VERB WHERE`: prints which rule decides about a request, and how. Asks
/// the platform, if it is connected, which of its groups contain the person.
final class PolicyCommand {
  /// Exit codes.
  private static final int PERMITTED = 0;

  private static final int REFUSED = 1;
  private static final int NOT_UNDERSTOOD = 2;
  private static final int WAITS_FOR_APPROVAL = 3;

  private final Config config;
  private final Policy policy;
  private final PrintStream out;
  private final PrintStream err;

  PolicyCommand(Config config, PrintStream out, PrintStream err) {
    this.config = config;
    this.policy = config.settings().policy();
    this.out = out;
    this.err = err;
  }

  /// @return the exit code: 0 permitted, 1 refused, 2 not understood, 3 waits for an approval
  int run(CommandLine.PolicyTest test) {
    var permission = Permission.of(test.verb());
    if (permission.isEmpty()) {
      err.println(
          "There is no verb %s. There are: %s."
              .formatted(
                  test.verb(),
                  Stream.of(Permission.values())
                      .map(Permission::word)
                      .collect(Collectors.joining(", "))));
      return NOT_UNDERSTOOD;
    }
    for (var name : List.of(test.who(), test.where())) {
      if (name.indexOf(':') <= 0 || !KnownPlatforms.surfaces().contains(name.split(":", 2)[0])) {
        err.println(
            "%s does not begin with a platform, like slack:T012AB/U012345 or github:acme/shop."
                .formatted(name));
        return NOT_UNDERSTOOD;
      }
    }
    if (!policy.hasRules()) {
      out.println(
          "There are no policy.rules, so the rule of the platform decides: full members of a Slack"
              + " workspace may do everything, and people with write access on a tracker.");
    }
    var groups = groups(test);
    var request =
        new AccessRequest(
            names(test.who(), groups),
            permission.get(),
            test.where(),
            test.own(),
            Optional.ofNullable(test.chosen().get("env")),
            Optional.ofNullable(test.chosen().get("model")));
    if (!groups.isEmpty()) {
      out.println("Groups    " + String.join(", ", groups.stream().sorted().toList()));
    }
    return policy.hasRules() ? decided(request) : byPlatform(groups);
  }

  private int decided(AccessRequest request) {
    var verdict = policy.decide(request);
    if (!verdict.isPermitted()) {
      out.println("refused   %s. %s".formatted(verdict.rule(), verdict.words()));
      return REFUSED;
    }
    if (request.permission() == Permission.START) {
      var approval = policy.approval(request, false).or(() -> policy.approval(request, true));
      if (approval.isPresent()) {
        out.println(
            "approval  %s, then %s approves%s within %s%s"
                .formatted(
                    verdict.rule(),
                    String.join(" or ", approval.get().by()),
                    approval.get().firstOfPerson() ? " a person's first run" : "",
                    approval.get().within().toMinutes() + " min",
                    " (" + approval.get().name() + ")"));
        return approval.get().firstOfPerson() ? PERMITTED : WAITS_FOR_APPROVAL;
      }
    }
    out.println("permitted " + verdict.rule());
    return PERMITTED;
  }

  private int byPlatform(Set<String> groups) {
    var isMember = groups.stream().anyMatch(each -> each.endsWith(":" + Policy.MEMBERS));
    out.println(isMember ? "permitted" : "refused   not known as a member");
    return isMember ? PERMITTED : REFUSED;
  }

  /// The person's id alone, and within the workspace.
  private static Set<String> names(String who, Set<String> groups) {
    var names = new HashSet<>(groups);
    names.add(who);
    var surface = who.substring(0, who.indexOf(':') + 1);
    names.add(surface + who.substring(Math.max(surface.length(), who.lastIndexOf('/') + 1)));
    return names;
  }

  private Set<String> groups(CommandLine.PolicyTest test) {
    var given = test.chosen().get("groups");
    if (given != null) {
      return Stream.of(given.split(",", -1)).map(String::strip).collect(Collectors.toSet());
    }
    var surface = test.who().split(":", 2)[0];
    var place = test.where().split(":", 2);
    if (!place[0].equals(surface)) {
      return Set.of();
    }
    try (var database = Database.inMemory();
        var platforms =
            Platforms.of(
                config.settings(),
                InstantSource.system(),
                config.publicUrl().orElse(URI.create("http://localhost:" + config.port())),
                () -> database.migrate("db/bot").dataSource())) {
      return platforms.all().stream()
          .filter(each -> each.definition().id().value().equals(surface))
          .flatMap(each -> each.connected().stream())
          .flatMap(
              each ->
                  each.conversationIn(place[1]).stream()
                      .map(it -> lookUp(each.surface(), it, test.who())))
          .findFirst()
          .orElse(Set.of());
    }
  }

  private Set<String> lookUp(Surface surface, Conversation conversation, String who) {
    var id = who.substring(Math.max(who.indexOf(':'), who.lastIndexOf('/')) + 1);
    var delivery =
        new Delivery(
            new DeliveryId("policy-test"),
            "policy-test",
            conversation,
            new Actor(id, id),
            new Intent.Start(Request.of("policy test")),
            true,
            new Origin(Optional.empty(), Optional.empty(), Optional.empty(), false),
            InstantSource.system().instant());
    var groups = new HashSet<String>();
    var prefix = new SurfaceId(surface.id().value()) + ":";
    try {
      var admission = surface.senders().admit(delivery);
      switch (admission) {
        case Admission.Admitted _ -> groups.add(prefix + Policy.MEMBERS);
        case Admission.Unknown(_, var why) -> out.println("Not known: " + why);
        case Admission.TurnedAway(var why) -> out.println("Not served: " + why);
        case Admission.Refused(_, var words) -> out.println("Not served: " + words);
        case Admission.Outsider _ -> {}
      }
      switch (surface.senders().groups(delivery, policy.namesOn(surface.id().value()))) {
        case GroupLookup.Known(var names) -> names.forEach(name -> groups.add(prefix + name));
        case GroupLookup.Unknown(_, var why) -> out.println("Not known: " + why);
      }
    } catch (CredentialRefused refused) {
      out.println("Not known: " + refused.why());
    }
    return groups;
  }
}
