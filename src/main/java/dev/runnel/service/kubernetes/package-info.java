/// Runs agents and setup commands as Kubernetes Jobs, see decisions 0070 and 0071. The only package
/// that uses the Kubernetes client; its classes are loaded only where the settings ask for it.
@NullMarked
package dev.runnel.service.kubernetes;

import org.jspecify.annotations.NullMarked;
