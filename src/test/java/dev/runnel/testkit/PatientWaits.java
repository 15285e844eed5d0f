package dev.runnel.testkit;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// Lets every wait of a test take a minute before it fails. A wait ends as soon as its condition
/// holds, so only a busy machine and a failing test take longer.
public final class PatientWaits implements BeforeAllCallback {
  @Override
  public void beforeAll(ExtensionContext context) {
    Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
  }
}
