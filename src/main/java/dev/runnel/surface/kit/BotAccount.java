package dev.runnel.surface.kit;

import dev.runnel.core.port.CredentialRefused;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The account that our token belongs to, looked up once and then cached. Thread-safe.
///
/// Until it is known, no assignment counts as the bot's; the poll for missed deliveries finds those
/// later.
public final class BotAccount {
  private final Supplier<Optional<String>> lookup;
  private volatile @Nullable String name;

  /// @param lookup looks up the account's name at the tracker; may block
  public BotAccount(Supplier<Optional<String>> lookup) {
    this.lookup = lookup;
  }

  /// Looks up the account, unless it is known. May block.
  ///
  /// @throws CredentialRefused when the tracker rejects our credential
  public void learn() {
    if (name == null) {
      lookup.get().ifPresent(found -> name = found);
    }
  }

  /// Whether this is the bot's account, ignoring case. Never blocks.
  public boolean is(String account) {
    return account.equalsIgnoreCase(name);
  }

  /// Whether a post with our marker may be the bot's; another author may have copied the marker.
  /// Never blocks.
  public boolean mayBe(String account) {
    return name == null || is(account);
  }
}
