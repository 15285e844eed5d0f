package dev.runnel.service.egress;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/// The operator's setting for the network of isolated agents: `public` (every public host), `none`,
/// `machine` (no restriction: the machine's network), or a list of hosts and of [#SETS]. In an
/// environment, `inherit` stands for the entries of the general setting. Pure.
///
/// @param entries as written, in lower case
public record EgressSetting(List<String> entries) {
  private static final String PUBLIC_WORD = "public";
  private static final String NONE_WORD = "none";
  private static final String MACHINE_WORD = "machine";
  private static final String INHERIT_WORD = "inherit";

  /// The hosts that well-known services need, by the name of the set. Hosts that serve uploads of
  /// anyone are left out, unless the service does not work without them.
  private static final Map<String, List<String>> SETS =
      Map.ofEntries(
          Map.entry(PUBLIC_WORD, List.of("*")),
          Map.entry(
              "anthropic",
              List.of("*.anthropic.com", "claude.ai", "*.claude.ai", "claude.com", "*.claude.com")),
          Map.entry("openai", List.of("*.openai.com", "chatgpt.com")),
          Map.entry(
              "google",
              List.of(
                  "accounts.google.com",
                  "oauth2.googleapis.com",
                  "generativelanguage.googleapis.com",
                  "cloudcode-pa.googleapis.com",
                  "aiplatform.googleapis.com")),
          Map.entry(
              "github",
              List.of(
                  "github.com",
                  "*.github.com",
                  "*.githubusercontent.com",
                  "ghcr.io",
                  "github-cloud.s3.amazonaws.com")),
          Map.entry("gitlab", List.of("gitlab.com", "*.gitlab.com")),
          Map.entry("npm", List.of("registry.npmjs.org", "registry.yarnpkg.com", "nodejs.org")),
          Map.entry("pypi", List.of("pypi.org", "files.pythonhosted.org")),
          Map.entry("maven", List.of("repo.maven.apache.org", "repo1.maven.org")),
          Map.entry(
              "gradle",
              List.of(
                  "services.gradle.org",
                  "downloads.gradle.org",
                  "plugins.gradle.org",
                  "plugins-artifacts.gradle.org",
                  "repo.maven.apache.org",
                  "repo1.maven.org")),
          Map.entry("go", List.of("proxy.golang.org", "sum.golang.org", "golang.org", "go.dev")),
          Map.entry("cargo", List.of("crates.io", "index.crates.io", "static.crates.io")),
          Map.entry("rubygems", List.of("rubygems.org", "index.rubygems.org")),
          Map.entry(
              "debian", List.of("deb.debian.org", "security.debian.org", "snapshot.debian.org")),
          Map.entry(
              "ubuntu",
              List.of(
                  "archive.ubuntu.com",
                  "*.archive.ubuntu.com",
                  "security.ubuntu.com",
                  "ports.ubuntu.com")));

  /// The default: public hosts, but nothing of this machine or an internal network.
  public static final EgressSetting PUBLIC = new EgressSetting(List.of(PUBLIC_WORD));

  /// No host at all.
  public static final EgressSetting NONE = new EgressSetting(List.of(NONE_WORD));

  /// No restriction.
  public static final EgressSetting MACHINE = new EgressSetting(List.of(MACHINE_WORD));

  /// @throws IllegalArgumentException if an entry has another form; the message says what to write
  public EgressSetting {
    entries =
        entries.stream()
            .map(each -> each.strip().toLowerCase(Locale.ROOT))
            .filter(each -> !each.isEmpty())
            .toList();
    for (var word : List.of(NONE_WORD, MACHINE_WORD)) {
      if (entries.contains(word) && entries.size() > 1) {
        throw new IllegalArgumentException(
            "has %s beside other entries, and %1$s must stand alone".formatted(word));
      }
    }
    for (var each : entries) {
      if (!isWord(each)) {
        check(each);
      }
    }
  }

  /// The general setting, which applies to all environments and cannot inherit.
  public static EgressSetting general(List<String> entries) {
    if (entries.contains(INHERIT_WORD)) {
      throw new IllegalArgumentException("has inherit, which is only for environments");
    }
    return new EgressSetting(entries);
  }

  private static boolean isWord(String entry) {
    return SETS.containsKey(entry) || Set.of(NONE_WORD, MACHINE_WORD, INHERIT_WORD).contains(entry);
  }

  private static void check(String pattern) {
    try {
      new EgressRules(List.of(pattern));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "%s; or one of the sets %s".formatted(e.getMessage(), String.join(", ", sets())), e);
    }
  }

  /// The names of the sets.
  public static Set<String> sets() {
    return new TreeMap<>(SETS).keySet();
  }

  /// The setting of an environment, with `inherit` replaced by the entries of the general setting.
  public EgressSetting resolve(EgressSetting general) {
    if (!entries.contains(INHERIT_WORD)) {
      return this;
    }
    if (general.isMachine()) {
      return general;
    }
    var own = entries.stream().filter(each -> !each.equals(INHERIT_WORD));
    var inherited = general.entries().stream().filter(each -> !each.equals(NONE_WORD));
    return new EgressSetting(Stream.concat(inherited, own).toList());
  }

  /// Whether agents share the machine's network.
  public boolean isMachine() {
    return entries.contains(MACHINE_WORD);
  }

  /// Whether agents have no network.
  public boolean isNone() {
    return entries.contains(NONE_WORD);
  }

  /// The hosts that the proxy permits; none if there is no proxy.
  ///
  /// @param required patterns of hosts that the run needs; ignored for `none`
  public EgressRules rules(List<String> required) {
    if (isNone() || isMachine()) {
      return new EgressRules(List.of());
    }
    var patterns = new ArrayList<String>();
    for (var each : entries) {
      patterns.addAll(SETS.getOrDefault(each, List.of(each)));
    }
    patterns.addAll(required);
    return new EgressRules(patterns.stream().distinct().toList());
  }

  /// A description in one line, for people.
  public String line() {
    if (isMachine()) {
      return "the machine's own: agents reach all that this machine reaches. agents.egress limits"
          + " it";
    }
    if (isNone()) {
      return "none";
    }
    return entries.equals(PUBLIC.entries())
        ? "public hosts, but nothing of this machine and of internal networks. agents.egress limits"
            + " or extends it"
        : String.join(", ", entries)
            + ("; a model provider reaches other hosts for the agent with its own tools, such as"
                + " web search");
  }
}
