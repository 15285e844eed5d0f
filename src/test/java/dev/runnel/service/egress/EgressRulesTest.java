package dev.runnel.service.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EgressRulesTest {
  private static EgressRules rules(String... patterns) {
    return new EgressRules(List.of(patterns));
  }

  @Test
  void anEmptyListPermitsNothing() {
    assertThat(rules().permits("example.com", 443)).isFalse();
  }

  @Test
  void aNamePermitsThatHostOnTheUsualPortsOnly() {
    var rules = rules("api.example.com");

    assertThat(rules.permits("API.example.com.", 443)).isTrue();
    assertThat(rules.permits("api.example.com", 80)).isTrue();
    assertThat(rules.permits("api.example.com", 22)).isFalse();
    assertThat(rules.permits("x.api.example.com", 443)).isFalse();
    assertThat(rules.permits("api.example.com.evil.test", 443)).isFalse();
    assertThat(rules("git.example.com:8443").permits("git.example.com", 8443)).isTrue();
    assertThat(rules("git.example.com:8443").permits("git.example.com", 443)).isFalse();
  }

  @Test
  void aStarPermitsTheNamesBelowADomainAndNotTheDomain() {
    var rules = rules("*.example.com");

    assertThat(rules.permits("a.b.example.com", 443)).isTrue();
    assertThat(rules.permits("example.com", 443)).isFalse();
    assertThat(rules.permits("notexample.com", 443)).isFalse();
  }

  @Test
  void publicRulesDoNotPermitInternalHosts() {
    assertThat(rules("*").permits("example.com", 443)).isTrue();
    assertThat(rules("*").permitsInternal("example.com", 443)).isFalse();
    assertThat(rules("internal:registry.corp:5000").permitsInternal("registry.corp", 5000))
        .isTrue();
    assertThat(rules("internal:registry.corp:5000").permits("registry.corp", 5000)).isFalse();
  }

  @Test
  void invalidHostIsRefusedWithARemedy() {
    for (var each : List.of("https://example.com", "a b", "internal:*", "*.*.com", "")) {
      assertThatThrownBy(() -> rules(each)).hasMessageContaining("is not a host: write");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "0.0.0.0",
        "10.1.2.3",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "169.254.169.254",
        "168.63.129.16",
        "100.64.0.1",
        "192.0.0.8",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1",
        "fc00::1",
        "fd00:ec2::254",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "::127.0.0.1",
        "64:ff9b::a9fe:a9fe",
        "2002:7f00:1::",
        "2002:a9fe:a9fe::",
        "2002:ac10:1::",
        "2002:c0a8:1::",
        "2001::1"
      })
  void noAddressOfThisMachineOrAnInternalNetworkIsPublic(String address)
      throws UnknownHostException {
    assertThat(EgressRules.isPublic(InetAddress.getByName(address))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"93.184.215.14", "172.32.0.1", "100.128.0.1", "2606:4700::1111"})
  void internetAddressesCountAsPublic(String address) throws UnknownHostException {
    assertThat(EgressRules.isPublic(InetAddress.getByName(address))).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "2001:db8:1:2::99, 2001:db8:1:2::1, 64, true",
    "2001:db8:1:3::99, 2001:db8:1:2::1, 64, false",
    "2001:db8:1:2::99, 2001:db8:1:2::1, 128, false",
    "2606:4700::1111, 2001:db8::1, 0, false",
    "203.0.113.77, 203.0.113.5, 24, true",
    "203.0.113.77, 203.0.113.5, 26, false",
    "203.0.113.77, 203.0.113.5, 8, false",
    "203.0.113.77, 2001:db8::1, 64, false"
  })
  void anAddressInANetworkOfThisMachineIsInternal(
      String address, String own, int prefix, boolean isInSameNetwork) throws UnknownHostException {
    assertThat(
            EgressRules.isInSameNetwork(
                InetAddress.getByName(address), InetAddress.getByName(own), prefix))
        .isEqualTo(isInSameNetwork);
  }
}
