/// The Agent Run API over HTTP. [Api] registers the routes, [AuthFilter] authenticates each request
/// and converts failures to problems (RFC 7807), and the route classes translate between HTTP and
/// the packages below. No rule about runs is decided here.
@NullMarked
package dev.runnel.service.http;

import org.jspecify.annotations.NullMarked;
