/// The Agent Run API over HTTP. [Api] registers the addresses, [AuthFilter] authenticates each
/// request and turns failures into problems (RFC 7807), and the routes translate between requests
/// and the packages below. No rule about runs is decided here.
@NullMarked
package dev.runnel.service.http;

import org.jspecify.annotations.NullMarked;
