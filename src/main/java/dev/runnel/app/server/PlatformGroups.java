package dev.runnel.app.server;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.GroupLookup;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.SignedInPerson;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.port.Surface;
import dev.runnel.core.scope.Surfaces;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Adds the groups of a person who signs in with an account of Slack or GitHub, if that platform is
/// connected. Groups that cannot be looked up are omitted, so that they permit nothing.
///
/// @param policy as it is now
record PlatformGroups(Surfaces surfaces, Supplier<Policy> policy, InstantSource clock) {
  private static final Logger log = LoggerFactory.getLogger(PlatformGroups.class);
  private static final SurfaceId SLACK = new SurfaceId("slack");

  SignedInPerson of(SignedInPerson person) {
    var parts = person.id().split(":", 2);
    var id = new SurfaceId(parts[0]);
    return surfaces
        .find(id)
        .map(
            it -> {
              try {
                return withGroups(person, parts[1], it);
              } catch (RuntimeException unknown) {
                log.warn("groups not read person={} why={}", person.id(), unknown.toString());
                return person;
              }
            })
        .orElse(person);
  }

  private SignedInPerson withGroups(SignedInPerson person, String account, Surface surface) {
    var names = new HashSet<>(person.names());
    var isSlack = surface.id().equals(SLACK);
    var slash = account.indexOf('/');
    // Slack looks a person up in a workspace, and GitHub in a repository. Any repository will do,
    // because the name of a team contains its organization.
    var place = isSlack ? account.substring(0, slash) + "/sign-in" : account + "/sign-in#1";
    var delivery =
        delivery(
            new Conversation(surface.id(), place),
            new Actor(account.substring(slash + 1), person.name()));
    if (isSlack && surface.senders().admit(delivery) instanceof Admission.Admitted) {
      names.add(surface.id() + ":" + Policy.MEMBERS);
    }
    var wanted = policy.get().namesOn(surface.id().value());
    if (!wanted.isEmpty()
        && surface.senders().groups(delivery, wanted) instanceof GroupLookup.Known(var in)) {
      in.forEach(it -> names.add(surface.id() + ":" + it));
    }
    return new SignedInPerson(person.id(), person.name(), names);
  }

  private Delivery delivery(Conversation conversation, Actor actor) {
    var key = "sign-in-" + UUID.randomUUID();
    return new Delivery(
        DeliveryId.of(conversation.surface(), key),
        key,
        conversation,
        actor,
        new Intent.Help(),
        true,
        new Origin(Optional.empty(), Optional.empty(), Optional.empty(), false),
        clock.instant());
  }
}
