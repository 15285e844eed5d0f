package dev.runnel.console;

import dev.runnel.console.access.ConsoleAuthentication.Visitor;
import dev.runnel.console.numbers.Numbers;
import dev.runnel.console.numbers.NumbersPage;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.util.Locale;
import java.util.stream.Stream;

/// `/numbers` shows statistics of runs.
final class NumbersRoutes {
  private final VisitorGuard guard;
  private final Numbers numbers;

  NumbersRoutes(VisitorGuard guard, Numbers numbers) {
    this.guard = guard;
    this.numbers = numbers;
  }

  void register(RoutesConfig routes) {
    guard.page(routes, "/numbers", this::showNumbers);
    guard.page(routes, "/numbers.csv", this::sendNumbers);
  }

  private void showNumbers(Context ctx, Visitor visitor) {
    ctx.html(guard.pages(visitor).numbers(numbers.of(days(ctx))));
  }

  private void sendNumbers(Context ctx, Visitor visitor) {
    var by = ctx.queryParam("by");
    var table =
        Stream.of(NumbersPage.Table.values())
            .filter(it -> it.name().toLowerCase(Locale.ROOT).equals(by))
            .findFirst();
    if (table.isEmpty()) {
      ctx.status(400);
      return;
    }
    ctx.contentType("text/csv; charset=utf-8")
        .header("Content-Disposition", "attachment; filename=\"runs-by-" + by + ".csv\"")
        .result(numbers.csv(table.get(), days(ctx)));
  }

  private static int days(Context ctx) {
    return RunRoutes.number(ctx, "days")
        .map(Long::intValue)
        .filter(NumbersPage.PERIODS::contains)
        .orElse(NumbersPage.PERIODS.get(1));
  }
}
