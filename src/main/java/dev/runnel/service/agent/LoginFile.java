package dev.runnel.service.agent;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// A file of the operator with which an agent signs in or is configured. An isolated run gets a
/// copy of it.
///
/// @param from its path on this machine
/// @param place its path in the home folder of a run
public record LoginFile(Path from, String place) {
  /// Files of one folder.
  ///
  /// @param operator the operator's variables
  /// @param moved the variable that names the folder if it is elsewhere
  /// @param folder its path in the home folder
  /// @param names paths in the folder
  static List<LoginFile> in(
      Map<String, String> operator, String moved, String folder, String... names) {
    var home = Optional.ofNullable(operator.get("HOME")).map(Path::of);
    var from =
        Optional.ofNullable(operator.get(moved))
            .filter(value -> !value.isBlank())
            .map(Path::of)
            .or(() -> home.map(it -> it.resolve(folder)));
    return from.stream()
        .flatMap(
            it ->
                Stream.of(names).map(name -> new LoginFile(it.resolve(name), folder + "/" + name)))
        .toList();
  }
}
