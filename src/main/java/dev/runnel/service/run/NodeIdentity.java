package dev.runnel.service.run;

/// Who a process is among those that share the runs.
///
/// @param name the same after a restart; two processes that live at the same time never share it
/// @param host the machine's name, for people
/// @param place where its workspaces are; nodes with the same place share them
public record NodeIdentity(String name, String host, String place) {
  /// The only process of an embedded database.
  public static final NodeIdentity ALONE = new NodeIdentity("", "", "");
}
