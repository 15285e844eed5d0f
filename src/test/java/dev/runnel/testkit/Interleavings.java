package dev.runnel.testkit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Plays a story in every order in which what its actors do can fall together.
///
/// Actors have threads of their own, of which one at a time goes on. Before each of its effects an
/// actor pauses, and any other may be let go first. All choices are tried, the last one first, each
/// time from the story's beginning. A state of the story that was met before is not played again
/// from there.
///
/// @param turns how often another than the usual actor may be let go, per performance
/// @param faults how often something may go wrong, per performance
/// @param crashes how often the process may die, per performance
public record Interleavings(int turns, int faults, int crashes) {
  /// A bound that is never reached.
  public static final int ALL = 1_000_000;

  private static final int ID_LENGTH = 36;

  /// Somebody who acts when there is something to do.
  ///
  /// @param ready whether there is, while no step of it is under way
  /// @param step what is done then; pauses before each effect
  /// @param diesInACrash whether it is a part of the process
  public record Actor(String name, BooleanSupplier ready, Runnable step, boolean diesInACrash) {}

  /// One telling, from its beginning to its end.
  public interface Story {
    /// The usual one first.
    List<Actor> actors();

    /// All that the story's future depends on, but for what an actor saw in the step it is in.
    String state();

    /// Holds at every moment.
    void check();

    /// Nobody has anything to do.
    ///
    /// @return false when that is the end
    boolean goesOn();

    /// Holds at the end.
    void checkEnd();

    /// The process died; another begins.
    void restarts();
  }

  /// What a story's actors play on.
  public interface Stage {
    /// Lets others go first.
    ///
    /// @param effect what comes then
    void pause(String effect);

    /// What the actor learned; what it does next depends on it.
    <T> T saw(T result);

    /// Whether something goes wrong now, and what.
    ///
    /// @return 0 when nothing does, else 1 to `ways`
    int goesWrong(int ways);
  }

  /// @param ended performances that reached the story's end; the others met a known state
  public record Played(int performances, int ended, int states) {}

  /// @throws AssertionError with the performance in which a check failed
  public Played play(Function<Stage, Story> stories) {
    var known = new HashSet<Long>();
    List<Choice> script = new ArrayList<>();
    var performances = 0;
    var ended = 0;
    while (true) {
      var performance = new Performance(script, known);
      performance.run(stories.apply(performance));
      performances++;
      ended += performance.reachedTheEnd ? 1 : 0;
      script = performance.script;
      while (!script.isEmpty() && script.getLast().isLast()) {
        script.removeLast();
      }
      if (script.isEmpty()) {
        return new Played(performances, ended, known.size());
      }
      script.add(script.removeLast().next());
    }
  }

  private record Choice(int chosen, int of) {
    boolean isLast() {
      return chosen + 1 == of;
    }

    Choice next() {
      return new Choice(chosen + 1, of);
    }
  }

  /// Ends an actor's thread; an error, so that nothing that handles exceptions can go on.
  private static final class Exit extends Error {
    private static final long serialVersionUID = 1;

    Exit() {
      super("The actor leaves the stage", null, false, false);
    }
  }

  /// An actor in the middle of a step.
  private static final class Role {
    final Actor actor;
    final Semaphore turn = new Semaphore(0);
    final StringBuilder seen = new StringBuilder();
    @Nullable Thread thread;
    boolean hasActed;
    boolean leaves;

    Role(Actor actor) {
      this.actor = actor;
    }
  }

  /// What is here belongs to the thread whose turn it is.
  private final class Performance implements Stage {
    private final List<Choice> script;
    private final int known;
    private final Set<Long> states;
    private final Map<String, Role> roles = new LinkedHashMap<>();
    private final List<String> log = new ArrayList<>();
    private final Semaphore over = new Semaphore(0);
    private @Nullable Story story;
    private @Nullable Role current;
    private @Nullable Throwable failure;
    private int at;
    private int turnsLeft = turns;
    private int faultsLeft = faults;
    private int crashesLeft = crashes;
    private boolean reachedTheEnd;

    Performance(List<Choice> script, Set<Long> states) {
      this.script = script;
      this.known = script.size();
      this.states = states;
    }

    void run(Story told) {
      story = told;
      letGo(decide());
      over.acquireUninterruptibly();
      dismiss(List.copyOf(roles.values()));
      if (failure != null) {
        throw new AssertionError(
            failure.getMessage() + "\nThis had happened:\n" + String.join("\n", log), failure);
      }
    }

    @Override
    public void pause(String effect) {
      var me = current;
      if (me == null) {
        throw new IllegalStateException("Nobody is on the stage");
      }
      // Its first effect was chosen when it was let go.
      if (me.hasActed) {
        letOthersGo(me);
      }
      me.hasActed = true;
      log.add(me.actor.name() + ": " + effect);
      me.seen.append(effect).append('\n');
    }

    private void letOthersGo(Role me) {
      var next = decide();
      if (next == me) {
        return;
      }
      var stays = roles.containsValue(me);
      letGo(next);
      if (stays) {
        me.turn.acquireUninterruptibly();
      }
      if (!stays || me.leaves) {
        throw new Exit();
      }
    }

    @Override
    public <T> T saw(T result) {
      if (current != null) {
        current.seen.append(result).append('\n');
      }
      return result;
    }

    @Override
    public int goesWrong(int ways) {
      if (faultsLeft == 0) {
        return 0;
      }
      var way = choose(ways + 1);
      if (way > 0) {
        faultsLeft--;
        log.add("    … and goes wrong, way " + way);
      }
      return way;
    }

    private int choose(int options) {
      if (options == 1) {
        return 0;
      }
      if (at == script.size()) {
        script.add(new Choice(0, options));
      }
      var choice = script.get(at++);
      if (choice.of() != options) {
        throw new IllegalStateException(
            "The story is not the same each time: " + options + " ways instead of " + choice.of());
      }
      return choice.chosen();
    }

    /// @return who goes on; null at the end
    private @Nullable Role decide() {
      try {
        return decideOrFail();
      } catch (RuntimeException | Error e) {
        failure = e;
        return null;
      }
    }

    private @Nullable Role decideOrFail() {
      var told = story;
      if (told == null) {
        throw new IllegalStateException("There is no story");
      }
      while (true) {
        told.check();
        var usual = current != null && roles.containsValue(current) ? current.actor : null;
        var ready = new ArrayList<Actor>();
        if (usual != null) {
          ready.add(usual);
        }
        for (var actor : told.actors()) {
          if (turnsLeft == 0 && !ready.isEmpty()) {
            // No other can be chosen.
            break;
          }
          var isUsual = usual != null && usual.name().equals(actor.name());
          if (!isUsual && (roles.containsKey(actor.name()) || actor.ready().getAsBoolean())) {
            ready.add(actor);
          }
        }
        if (ready.isEmpty()) {
          if (told.goesOn()) {
            continue;
          }
          told.checkEnd();
          reachedTheEnd = true;
          return null;
        }
        if (at >= known && !states.add(fingerprint(told, usual))) {
          return null;
        }
        var actors = turnsLeft > 0 ? ready.size() : 1;
        var mayCrash =
            crashesLeft > 0 && roles.values().stream().anyMatch(role -> role.actor.diesInACrash());
        var chosen = choose(actors + (mayCrash ? 1 : 0));
        if (chosen == actors) {
          crash(told);
          continue;
        }
        turnsLeft -= chosen > 0 ? 1 : 0;
        var actor = ready.get(chosen);
        return roles.computeIfAbsent(actor.name(), _ -> new Role(actor));
      }
    }

    private void crash(Story told) {
      crashesLeft--;
      log.add("The process dies");
      var dying = roles.values().stream().filter(role -> role.actor.diesInACrash()).toList();
      var me = current;
      dismiss(dying.stream().filter(role -> role != me).toList());
      dying.forEach(role -> roles.remove(role.actor.name()));
      told.restarts();
    }

    private static void dismiss(List<Role> leaving) {
      for (var role : leaving) {
        role.leaves = true;
        role.turn.release();
        try {
          if (role.thread != null) {
            role.thread.join();
          }
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
    }

    private void letGo(@Nullable Role next) {
      current = next;
      if (next == null) {
        over.release();
      } else if (next.thread == null) {
        // Known before it runs: it may hand over at once.
        next.thread = Thread.ofVirtual().unstarted(() -> act(next));
        next.thread.start();
      } else {
        next.turn.release();
      }
    }

    private void act(Role me) {
      try {
        me.actor.step().run();
      } catch (Exit exit) {
        return;
      } catch (Throwable broken) {
        failure = broken;
        roles.remove(me.actor.name());
        letGo(null);
        return;
      }
      roles.remove(me.actor.name());
      letGo(decide());
    }

    private long fingerprint(Story told, @Nullable Actor usual) {
      var text = new StringBuilder(told.state());
      for (var role : roles.values().stream().sorted(Performance::byName).toList()) {
        text.append('\n').append(role.actor.name()).append(":\n").append(role.seen);
      }
      if (turns < ALL) {
        text.append('\n').append(turnsLeft).append(usual == null ? "" : usual.name());
      }
      text.append('\n').append(faultsLeft).append(' ').append(crashesLeft);
      return hash(text.toString());
    }

    private static int byName(Role a, Role b) {
      return a.actor.name().compareTo(b.actor.name());
    }
  }

  /// Of the text in which each random id stands as its number in the order of their appearance.
  private static long hash(String text) {
    var ids = new HashMap<String, Integer>();
    var hash = 1125899906842597L;
    var from = 0;
    for (int id = randomId(text, 0); id >= 0; id = randomId(text, from)) {
      hash = hash(hash, text, from, id);
      from = id + ID_LENGTH;
      var number = ids.computeIfAbsent(text.substring(id, from), _ -> ids.size());
      hash = 31 * (31 * hash + '#') + number;
    }
    return hash(hash, text, from, text.length());
  }

  private static long hash(long start, String text, int from, int to) {
    var hash = start;
    for (int i = from; i < to; i++) {
      hash = 31 * hash + text.charAt(i);
    }
    return hash;
  }

  /// Where the next random id (a UUID of version 4) begins; -1 if there is none. Not a regular
  /// expression: with one this was a third of all work.
  private static int randomId(String text, int from) {
    for (int version = text.indexOf("-4", from);
        version >= 0;
        version = text.indexOf("-4", version + 1)) {
      var start = version - 13;
      if (start >= from && isRandomId(text, start)) {
        return start;
      }
    }
    return -1;
  }

  private static boolean isRandomId(String text, int start) {
    if (start + ID_LENGTH > text.length()) {
      return false;
    }
    for (int i = 0; i < ID_LENGTH; i++) {
      var isDash = i == 8 || i == 13 || i == 18 || i == 23;
      var letter = text.charAt(start + i);
      if (isDash ? letter != '-' : !isHex(letter)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isHex(char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
  }
}
