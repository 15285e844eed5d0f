import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.regex.Pattern;

/// Counts the acknowledged deliveries that are not in the database of a server that was killed: `Missing DATABASE
/// NUMBERS`, with the numbers that the load generator wrote. The id of a delivery contains its number.
final class Missing {
  private static final Pattern NUMBER = Pattern.compile("(?<!\\d)\\d{12}(?!\\d)");

  private Missing() {}

  public static void main(String[] args) throws IOException, SQLException {
    var kept = new HashSet<Long>();
    try (var connection = DriverManager.getConnection("jdbc:sqlite:" + args[0]);
        var statement = connection.createStatement();
        var rows = statement.executeQuery("SELECT id FROM inbox")) {
      while (rows.next()) {
        NUMBER.matcher(rows.getString(1)).results().forEach(it -> kept.add(Long.valueOf(it.group())));
      }
    }
    try (var numbers = Files.lines(Path.of(args[1]))) {
      System.out.println(numbers.filter(it -> !kept.contains(Long.valueOf(it))).count());
    }
  }
}
