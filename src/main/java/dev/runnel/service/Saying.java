package dev.runnel.service;

/// What a line of an agent's output means.
sealed interface Saying {
  /// A piece of text for people; the last paragraph is the answer unless an [Answer] says
  /// otherwise.
  record Said(String text) implements Saying {}

  /// A tool it used.
  record Did(String what) implements Saying {}

  /// What it is busy with.
  record Status(String text) implements Saying {}

  /// What it must know before it can go on.
  record Question(String text) implements Saying {}

  /// The whole answer, where an agent names it.
  record Answer(String text) implements Saying {}

  /// The agent's own name for the session, to continue it later.
  record Session(String id) implements Saying {}

  /// It says that it failed, whatever its exit status will be.
  record Failure(String why) implements Saying {}
}
