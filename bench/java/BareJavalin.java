import com.fasterxml.jackson.databind.ObjectMapper;
import io.javalin.Javalin;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// The limit of the web framework: Javalin routes that check the signature (and parse GitHub's JSON), and keep nothing.
final class BareJavalin {
  private BareJavalin() {}

  public static void main(String[] args) throws Exception {
    var keyed = Mac.getInstance("HmacSHA256");
    keyed.init(new SecretKeySpec(System.getenv("SECRET").getBytes(), "HmacSHA256"));
    var json = new ObjectMapper();
    Javalin.create(
            config -> {
              config.startup.showJavalinBanner = false;
              config.routes.post(
                  "/slack/events",
                  context -> {
                    var time = context.header("X-Slack-Request-Timestamp");
                    var isFresh =
                        Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(time)) < 300;
                    var mac = (Mac) keyed.clone();
                    mac.update(("v0:" + time + ":").getBytes());
                    var isGood =
                        isFresh
                            && is(
                                mac.doFinal(context.bodyAsBytes()),
                                context.header("X-Slack-Signature"),
                                3);
                    context.status(isGood ? 200 : 401);
                  });
              config.routes.post(
                  "/webhooks/github",
                  context -> {
                    var body = context.bodyAsBytes();
                    var mac = (Mac) keyed.clone();
                    var isGood = is(mac.doFinal(body), context.header("X-Hub-Signature-256"), 7);
                    var action = isGood ? json.readTree(body).path("action").asText() : "";
                    context.status(action.equals("labeled") ? 200 : 401);
                  });
            })
        .start("127.0.0.1", Integer.parseInt(System.getenv("PORT")));
  }

  private static boolean is(byte[] expected, String header, int prefix) {
    return MessageDigest.isEqual(expected, HexFormat.of().parseHex(header.substring(prefix)));
  }
}
