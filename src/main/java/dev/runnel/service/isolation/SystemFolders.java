package dev.runnel.service.isolation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The folders and files of the system that programs need. None of them holds secrets.
final class SystemFolders {
  private static final Path ETC = Path.of("/etc");

  /// In distributions that merged them into `/usr`, the short ones are links.
  private static final List<String> PROGRAMS =
      List.of("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store");

  private static final List<String> OTHERS = List.of("/sys/devices/system/cpu");

  /// Listed by name, since other files in `/etc` hold passwords and private keys.
  private static final List<String> SETTINGS =
      List.of(
          """
          alternatives bash.bashrc ca-certificates ca-certificates.conf claude-code codex
          crypto-policies debian_version fonts gai.conf gemini-cli group host.conf hostname hosts
          inputrc ld.so.cache ld.so.conf ld.so.conf.d locale.alias locale.conf localtime magic maven
          mime.types nsswitch.conf opencode os-release passwd perl pki/ca-trust pki/java
          pki/tls/certs pki/tls/openssl.cnf protocols resolv.conf services shells ssl/certs
          ssl/openssl.cnf terminfo timezone
          """
              .split("\\s+"));

  private static final List<String> SETTINGS_BY_PREFIX = List.of("java", "python3");

  private SystemFolders() {}

  /// The folders of programs that exist here, some of which may be links.
  static List<Path> programs() {
    return PROGRAMS.stream().map(Path::of).filter(Files::exists).toList();
  }

  /// The other files and folders that exist here.
  static List<Path> others() {
    var all = new ArrayList<Path>();
    OTHERS.stream().map(Path::of).forEach(all::add);
    SETTINGS.stream().map(ETC::resolve).forEach(all::add);
    try (var entries = Files.list(ETC)) {
      entries
          .filter(
              each ->
                  SETTINGS_BY_PREFIX.stream().anyMatch(each.getFileName().toString()::startsWith))
          .forEach(all::add);
    } catch (IOException _) {
      // Without settings, programs use their defaults.
    }
    return all.stream().filter(Files::exists).toList();
  }

  /// Whether a path is in a folder of programs.
  static boolean contain(Path path) {
    return PROGRAMS.stream().anyMatch(path::startsWith);
  }
}
