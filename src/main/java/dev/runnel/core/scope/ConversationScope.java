package dev.runnel.core.scope;

import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import java.util.ArrayList;
import java.util.List;

/// The places that contain a conversation, innermost first: `slack:T1/C1`, `slack:T1`, `slack`; or
/// `github:acme/shop`, `github:acme`, `github`; or `jira:SHOP`, `jira`. Pure.
public final class ConversationScope {
  private ConversationScope() {}

  /// All places, innermost first; the surface itself is the last.
  static List<String> enclosing(Conversation conversation) {
    var places = new ArrayList<String>();
    var path = conversation.surface().value();
    places.add(path);
    var parts = List.of(conversation.key().split("/"));
    var separator = ":";
    for (int i = 0; i < parts.size(); i++) {
      var part = parts.get(i);
      if (i == parts.size() - 1) {
        // The last part is the thread, or a container and the thread: `shop#7`, `SHOP-7`.
        var end = part.indexOf('#') < 0 ? part.indexOf('!') : part.indexOf('#');
        if (conversation.isNumbered()) {
          end = part.indexOf('-');
        }
        part = end > 0 ? part.substring(0, end) : "";
      }
      if (!part.isEmpty()) {
        path += separator + part;
        places.addFirst(path);
        separator = "/";
      }
    }
    return places;
  }

  /// The channel, repository or project.
  public static String here(Conversation conversation) {
    return enclosing(conversation).getFirst();
  }

  /// What [#here] is, for people: `channel`, `repository`, `project` or `workspace`.
  public static String word(Conversation conversation) {
    var thread = conversation.key().substring(conversation.place().length());
    if (conversation.isNumbered()) {
      return "project";
    }
    if (thread.indexOf('#') > 0 || thread.indexOf('!') > 0) {
      return conversation.place().isEmpty() ? "project" : "repository";
    }
    return conversation.place().isEmpty() ? "workspace" : "channel";
  }

  /// The workspace or owner; the repository or project where there is none.
  public static String workspace(Conversation conversation) {
    var around = enclosing(conversation);
    return around.get(Math.max(0, around.size() - 2));
  }

  static String of(Conversation conversation, Actor actor) {
    return conversation.surface() + ":@" + actor.id();
  }

  /// Whether the place contains the conversation.
  public static boolean isIn(Conversation conversation, String place) {
    var id = conversation.id();
    return id.startsWith(place) && Conversation.isEndOfPart(id, place.length());
  }

  /// The common prefix of the keys of the place's conversations.
  public static String prefix(String place) {
    var colon = place.indexOf(':');
    return colon < 0 ? "" : place.substring(colon + 1);
  }
}
