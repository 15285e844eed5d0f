/// The Agent Run API over HTTP. [Api] registers the routes, [AuthFilter] authenticates each request
/// and converts failures to problems (RFC 9457), and the route classes translate between HTTP and
/// the packages below. Rules about runs are not decided here.
@NullMarked
package dev.runnel.service.http;

import org.jspecify.annotations.NullMarked;
