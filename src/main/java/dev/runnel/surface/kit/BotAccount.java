package dev.runnel.surface.kit;

import dev.runnel.core.port.CredentialRefused;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The account that our token belongs to, asked for once and then known. Thread-safe.
///
/// Until it is known, nothing counts as assigned to it; catching up makes good for that.
public final class BotAccount {
  private final Supplier<Optional<String>> question;
  private volatile @Nullable String name;

  /// @param question asks the tracker for the account's name; may call out
  public BotAccount(Supplier<Optional<String>> question) {
    this.question = question;
  }

  /// Asks, unless it is known. May call out.
  ///
  /// @throws CredentialRefused when the tracker does not accept our credential
  public void learn() {
    if (name == null) {
      question.get().ifPresent(answer -> name = answer);
    }
  }

  /// Whether this is it. Never calls out; names are the same in any case.
  public boolean is(String account) {
    return account.equalsIgnoreCase(name);
  }

  /// Whether a post with our marker may be ours: by somebody else it only pretends to be. Never
  /// calls out.
  public boolean mayBe(String account) {
    return name == null || is(account);
  }
}
