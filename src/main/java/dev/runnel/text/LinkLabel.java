package dev.runnel.text;

import java.net.URI;
import java.text.Normalizer;
import java.text.Normalizer.Form;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/// Checks the labels of links in untrusted text.
public final class LinkLabel {
  /// A URL, possibly without a scheme.
  private static final String URL = "(?:https?://|\\bwww\\.|//(?=[\\p{L}\\p{N}-]++\\.))[^\\s<>|]++";

  /// Words with dots between them, or an address in brackets, but no part of a path, of an email
  /// address or of an identifier.
  private static final String NAME =
      "(?<![\\p{L}\\p{N}./@_-])(?:[\\p{L}\\p{N}-]++(?:\\.[\\p{L}\\p{N}-]++)++(?![\\p{L}\\p{N}@_-])"
          + "|\\[[0-9a-f.]*+:[0-9a-f:.]*+\\])";

  private static final Pattern ADDRESS =
      Pattern.compile("(?<url>" + URL + ")|(?<name>" + NAME + ")", Pattern.CASE_INSENSITIVE);

  private static final Pattern IP_ADDRESS =
      Pattern.compile("^(?:\\d{1,3}(?:\\.\\d{1,3}){3}|\\[.*)");

  /// The last part of a domain has two letters at least, or is encoded.
  private static final Pattern DOMAIN = Pattern.compile("^.*\\.(?:\\p{L}{2,}|xn--[a-z0-9-]+)");

  /// Endings of file names that are no top-level domains.
  private static final Set<String> FILES =
      Set.of(
          """
          adoc avif bak bash bat bin c cfg cjs class conf config cpp cs css csv cts dart diff docx \
          env erl ex exs fish gif gitignore go gql gradle graphql groovy gz h hcl hpp hs htm html \
          ini ipynb jar java jpeg jpg js json jsonl jsx jte kt kts less lock log lua m mjs mk mts \
          patch pdf php png properties proto pyi rb rst sass scala scss sql svg swift tar tfvars \
          tgz tmp toml ts tsv tsx txt vue war wasm webp xhtml xlsx xml yaml yml zsh\
          """
              .split(" "));

  /// Endings of file names that are top-level domains, too.
  private static final Set<String> FILES_OR_DOMAINS =
      Set.of("cc", "md", "pl", "ps", "py", "rs", "sh", "tf");

  private static final Pattern SCHEME = Pattern.compile("^https?://", Pattern.CASE_INSENSITIVE);
  private static final Pattern AFTER_HOST = Pattern.compile("[/?#\\\\:].*");

  /// Characters that look like the separators of a URL, also after normalization.
  private static final Pattern DOT = Pattern.compile("[\\u3002\\uFF61]");

  private static final Pattern SLASH = Pattern.compile("[\\u2044\\u2215\\u29F8]");

  /// Characters without a glyph.
  private static final Pattern INVISIBLE =
      Pattern.compile(
          "[\\p{Cf}\\p{Cc}&&[^\\s]]|[\\u034F\\u115F\\u1160\\u2800\\u3164\\uFE00-\\uFE0F]");

  /// Reverses the letters after it.
  private static final Pattern OVERRIDE = Pattern.compile("[\\u202D\\u202E]");

  private LinkLabel() {}

  /// Whether the label shows an address on another host than that of the link, so that readers
  /// would take it for the target.
  public static boolean misleads(String label, String target) {
    var host = host(target);
    return OVERRIDE.matcher(label).find()
        || ADDRESS
            .matcher(seen(label))
            .results()
            .filter(it -> it.group("url") != null || isHost(it.group(), target))
            .anyMatch(it -> !host(it.group()).equals(host));
  }

  /// Whether people would take the name for a host. The name of a source file is none, and neither
  /// is one like `README.md`, if the link leads to such a file.
  private static boolean isHost(String name, String target) {
    if (IP_ADDRESS.matcher(name).matches()) {
      return true;
    }
    var ending = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    return DOMAIN.matcher(name).matches()
        && !FILES.contains(ending)
        && !(FILES_OR_DOMAINS.contains(ending) && target.endsWith("/" + name));
  }

  /// The label as it looks, in ordinary characters.
  private static String seen(String label) {
    var normal = Normalizer.normalize(INVISIBLE.matcher(label).replaceAll(""), Form.NFKC);
    return SLASH.matcher(DOT.matcher(normal).replaceAll(".")).replaceAll("/");
  }

  private static String host(String address) {
    if (address.startsWith("[")) {
      return plain(address);
    }
    try {
      var host = URI.create(address).getHost();
      if (host != null) {
        return plain(host);
      }
    } catch (IllegalArgumentException _) {
      // Extract the host of a malformed URL as well as possible.
    }
    var rest = SCHEME.matcher(address).replaceFirst("");
    return plain(AFTER_HOST.matcher(rest).replaceFirst(""));
  }

  private static String plain(String host) {
    return host.toLowerCase(Locale.ROOT)
        .replaceFirst("^www\\.", "")
        .replaceAll("(?<![.,;)\\]])[.,;)\\]]+$", "");
  }
}
