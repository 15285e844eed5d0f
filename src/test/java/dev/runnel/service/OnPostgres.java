package dev.runnel.service;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/// The services of this class have their runs on PostgreSQL. A class that extends another one says
/// that what the other one says of SQLite is true there, too.
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(OnPostgres.Switch.class)
public @interface OnPostgres {
  /// Switches over for one class, whose tests run in one thread.
  final class Switch implements BeforeAllCallback, AfterAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
      RunningService.onPostgres(true);
    }

    @Override
    public void afterAll(ExtensionContext context) {
      RunningService.onPostgres(false);
    }
  }
}
