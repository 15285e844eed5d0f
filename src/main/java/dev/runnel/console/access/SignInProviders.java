package dev.runnel.console.access;

import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.SignedInPerson;
import dev.runnel.core.port.SignInProvider;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The providers with whose accounts visitors can sign in.
///
/// @param url the console's address, as people reach it
/// @param named adds the person's groups on connected platforms
public record SignInProviders(
    List<SignInProvider> providers, URI url, UnaryOperator<SignedInPerson> named) {
  private static final Logger log = LoggerFactory.getLogger(SignInProviders.class);

  /// Nobody can sign in with an account.
  public static SignInProviders closed(URI url) {
    return new SignInProviders(List.of(), url, UnaryOperator.identity());
  }

  public SignInProviders {
    providers = List.copyOf(providers);
  }

  public Optional<SignInProvider> find(String id) {
    return providers.stream().filter(it -> it.id().equals(id)).findFirst();
  }

  public URI callback(SignInProvider provider) {
    var base = url.toString().replaceAll("(?<!/)/+$", "");
    return URI.create(
        base + ConsoleAuthentication.SIGN_IN_PATH + "/" + provider.id() + "/callback");
  }

  public sealed interface Result {
    record Entered(SignedInPerson person, String session, String to) implements Result {}

    /// @param why a sentence for the visitor
    record Refused(Actor who, String why, String rule) implements Result {}
  }

  /// Completes the sign-in of a visitor who returns from a provider.
  ///
  /// @param cookies the header `Cookie`
  public Result complete(
      SignInProvider provider,
      String code,
      String state,
      Optional<String> cookies,
      ConsoleAuthentication authentication,
      ConsoleAccess access) {
    var attempt = authentication.pendingAttempt(provider.id(), state, cookies);
    if (attempt.isEmpty() || code.isBlank()) {
      return new Result.Refused(
          ConsoleSurface.PERSON,
          "This sign-in was started in another browser, or has expired.",
          "state");
    }
    SignedInPerson person;
    try {
      person =
          named.apply(
              provider.identify(
                  code,
                  new SignInProvider.Exchange(
                      attempt.get().nonce(), attempt.get().verifier(), callback(provider))));
    } catch (SignInProvider.Failed failed) {
      log.warn("sign-in failed provider={} why={}", provider.id(), failed.getMessage());
      return new Result.Refused(
          ConsoleSurface.PERSON,
          provider.name()
              + " did not say who you are. Try again. If that does not help, Runnel's log says"
              + " why.",
          "provider");
    }
    if (!access.maySignIn(person)) {
      log.info("sign-in refused person={}", person.id());
      return new Result.Refused(
          person.actor(),
          "No rule permits you to see this console. Ask whoever runs Runnel; your name in a policy is `%s`."
              .formatted(person.id()),
          "policy");
    }
    return new Result.Entered(person, authentication.enter(person), attempt.get().to());
  }
}
