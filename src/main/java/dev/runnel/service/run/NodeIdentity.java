package dev.runnel.service.run;

/// Identifies a process among those that share the runs.
///
/// @param name stable across restarts; never shared by two processes that run at the same time
/// @param host the machine's name, for people
/// @param place identifies the storage of its workspaces; nodes with the same place share them
public record NodeIdentity(String name, String host, String place) {
  /// The only process of an embedded database.
  public static final NodeIdentity ALONE = new NodeIdentity("", "", "");
}
