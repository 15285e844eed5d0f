package dev.runnel.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrustedProxiesTest {
  private static final TrustedProxies PROXIES =
      TrustedProxies.of(List.of("10.0.0.7", "192.168.0.0/20", "2001:db8:1::/48"));

  @ParameterizedTest
  @CsvSource({
    "10.0.0.7, true",
    "10.0.0.8, false",
    "192.168.0.0, true",
    "192.168.15.255, true",
    "192.168.16.0, false",
    "2001:db8:1:ffff::1, true",
    "2001:db8:2::1, false",
    "127.0.0.1, false"
  })
  void addressesAndNetworksAreTrusted(String address, boolean isTrusted) {
    assertThat(PROXIES.contains(InetAddress.ofLiteral(address))).isEqualTo(isTrusted);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "proxy.example", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "::/129"})
  void otherTextIsRefusedWithAnExample(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TrustedProxies.of(List.of(text)))
        .withMessageContaining("like 10.0.0.7 or 10.0.0.0/8");
  }

  @Test
  void withoutProxiesTheHeaderIsIgnored() {
    assertThat(sender(TrustedProxies.NONE, "198.51.100.1", "203.0.113.1"))
        .isEqualTo(InetAddress.ofLiteral("198.51.100.1"));
  }

  @Test
  void aSenderThatIsNoProxyCannotNameAnotherAddress() {
    assertThat(sender(PROXIES, "198.51.100.1", "203.0.113.1"))
        .isEqualTo(InetAddress.ofLiteral("198.51.100.1"));
  }

  @Test
  void theLastAddressThatIsNoProxyCounts() {
    assertThat(sender(PROXIES, "10.0.0.7", "203.0.113.9, 203.0.113.1, 192.168.1.1"))
        .isEqualTo(InetAddress.ofLiteral("203.0.113.1"));
    assertThat(sender(PROXIES, "10.0.0.7", "203.0.113.1", "192.168.1.1"))
        .isEqualTo(InetAddress.ofLiteral("203.0.113.1"));
  }

  @Test
  void portsAreIgnored() {
    assertThat(sender(PROXIES, "10.0.0.7", "203.0.113.1:4711"))
        .isEqualTo(InetAddress.ofLiteral("203.0.113.1"));
    assertThat(sender(PROXIES, "10.0.0.7", "[2001:db8:7::]:4711"))
        .isEqualTo(InetAddress.ofLiteral("2001:db8:7::"));
  }

  @Test
  void whatIsNoAddressCountsAsTheProxyThatSentIt() {
    assertThat(sender(PROXIES, "10.0.0.7", "203.0.113.1, unknown"))
        .isEqualTo(InetAddress.ofLiteral("10.0.0.7"));
    assertThat(sender(PROXIES, "10.0.0.7")).isEqualTo(InetAddress.ofLiteral("10.0.0.7"));
  }

  @Test
  void allAddressesOfAnIpv6NetworkAreOneSender() {
    assertThat(sender(TrustedProxies.NONE, "2001:db8:5:6:7:8:9:a"))
        .isEqualTo(InetAddress.ofLiteral("2001:db8:5:6::"));
  }

  private static InetAddress sender(TrustedProxies proxies, String peer, String... forwarded) {
    return proxies.sender(InetAddress.ofLiteral(peer), List.of(forwarded));
  }
}
