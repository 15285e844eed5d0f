package dev.runnel.service.agent;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// A file of the operator that holds an agent's credentials or settings. It is copied into the home
/// folder of an isolated run.
///
/// @param source the operator's file
/// @param target relative path of the copy in the home folder of a run
public record LoginFile(Path source, String target) {
  /// Files of one folder.
  ///
  /// @param operator the operator's variables
  /// @param override the variable that overrides the location of the folder
  /// @param folder its path in the home folder
  /// @param names relative paths in the folder
  static List<LoginFile> in(
      Map<String, String> operator, String override, String folder, String... names) {
    var home = Optional.ofNullable(operator.get("HOME")).map(Path::of);
    var source =
        Optional.ofNullable(operator.get(override))
            .filter(value -> !value.isBlank())
            .map(Path::of)
            .or(() -> home.map(it -> it.resolve(folder)));
    return source.stream()
        .flatMap(
            it ->
                Stream.of(names).map(name -> new LoginFile(it.resolve(name), folder + "/" + name)))
        .toList();
  }
}
