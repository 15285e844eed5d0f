package dev.runnel.story;

import static dev.runnel.testkit.LocalSlack.BOT;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.testkit.LocalSlack;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// What people see of many commands: the threads that Runnel opened, by the task that the first
/// message names.
///
/// @param byTask all threads of a task; one would be right
/// @param lost posts of ours that belong to no thread of a task
record SlackThreads(Map<String, List<OneThread>> byTask, List<String> lost) {
  private static final Pattern TASK = Pattern.compile("task-\\d{3}-\\d+");

  /// @param status the messages that are edited while the run works: the first one of the thread
  /// @param ends the messages that tell how it ended
  /// @param others what else was said, such as that the run service cannot be reached just now
  record OneThread(
      String channel, String ts, List<String> status, List<String> ends, List<String> others) {}

  List<OneThread> of(String task) {
    return byTask.getOrDefault(task, List.of());
  }

  static SlackThreads read(LocalSlack slack, List<String> channels) {
    Map<String, List<OneThread>> byTask = new TreeMap<>();
    List<String> lost = new ArrayList<>();
    for (var channel : channels) {
      Map<String, OneThread> byTs = new TreeMap<>();
      for (var message : slack.messages(channel)) {
        if (message.path("user").asText().equals(BOT)) {
          sort(channel, message, byTask, byTs, lost);
        }
      }
    }
    return new SlackThreads(byTask, lost);
  }

  private static void sort(
      String channel,
      JsonNode message,
      Map<String, List<OneThread>> byTask,
      Map<String, OneThread> byTs,
      List<String> lost) {
    var ts = message.path("ts").asText();
    var threadTs = message.path("thread_ts").asText();
    var text = message.path("text").asText();
    var task = TASK.matcher(text);
    if (threadTs.isEmpty() || threadTs.equals(ts)) {
      if (task.find()) {
        var thread =
            new OneThread(
                channel, ts, new ArrayList<>(List.of(text)), new ArrayList<>(), new ArrayList<>());
        byTs.put(ts, thread);
        byTask.computeIfAbsent(task.group(), _ -> new ArrayList<>()).add(thread);
      } else {
        lost.add(text);
      }
      return;
    }
    var thread = byTs.get(threadTs);
    if (thread == null) {
      lost.add(text);
    } else if (text.contains("cannot be reached")) {
      thread.others().add(text);
    } else if (text.contains("for <@")) {
      // The end calls the person by name, so that they are notified.
      thread.ends().add(text);
    } else {
      thread.status().add(text);
    }
  }
}
