package dev.runnel.json;

import com.fasterxml.jackson.core.JsonPointer;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Which parts of a document are read; the others are skipped without building anything. Immutable.
public interface Projection {
  /// Reads everything.
  Projection ALL =
      new Projection() {
        @Override
        public Projection member(String name) {
          return this;
        }

        @Override
        public Projection element(int index) {
          return this;
        }
      };

  /// Reads everything, and a text as the bytes that it encodes in Base64.
  Projection BASE64 =
      new Projection() {
        @Override
        public Projection member(String name) {
          return ALL;
        }

        @Override
        public Projection element(int index) {
          return ALL;
        }

        @Override
        public boolean isBase64() {
          return true;
        }
      };

  /// What is read of a member of an object; null for nothing, as if it had no such member.
  @Nullable Projection member(String name);

  /// What is read of an element of an array, counted from 0; null for nothing, so that it is null.
  /// Elements behind the last one that is read are left out.
  @Nullable Projection element(int index);

  /// Whether a text is read as the bytes that it encodes in Base64, which takes no memory for the
  /// text.
  default boolean isBase64() {
    return false;
  }

  /// Reads everything.
  ///
  /// @param parts what is read of the members with these names, of an object or of each object of
  ///   an array
  static Projection allWith(Map<String, Projection> parts) {
    return new Projection() {
      @Override
      public Projection member(String name) {
        return parts.getOrDefault(name, ALL);
      }

      @Override
      public Projection element(int index) {
        return this;
      }
    };
  }

  /// Reads the members with these names, at any depth.
  ///
  /// @param names separated by white space
  static Projection named(String names) {
    return named(names, Set.of());
  }

  /// Reads the members with these names, at any depth.
  ///
  /// @param words the names, separated by white space
  /// @param whole the names of further members, which are read with everything in them
  static Projection named(String words, Set<String> whole) {
    var names = Set.of(words.strip().split("\\s+"));
    return new Projection() {
      @Override
      public @Nullable Projection member(String name) {
        if (names.contains(name)) {
          return this;
        }
        return whole.contains(name) ? ALL : null;
      }

      @Override
      public Projection element(int index) {
        return this;
      }
    };
  }

  /// Reads what the pointers point at, with everything in it.
  static Projection at(Collection<JsonPointer> places) {
    var next = new HashMap<String, HashMap<String, JsonPointer>>();
    for (var place : places) {
      if (place.matches()) {
        return ALL;
      }
      next.computeIfAbsent(place.getMatchingProperty(), _ -> new HashMap<>())
          .put(place.tail().toString(), place.tail());
    }
    Map<String, Projection> members = new HashMap<>();
    next.forEach((name, tails) -> members.put(name, at(tails.values())));
    return new Projection() {
      @Override
      public @Nullable Projection member(String name) {
        return members.get(name);
      }

      @Override
      public @Nullable Projection element(int index) {
        return members.get(Integer.toString(index));
      }
    };
  }
}
