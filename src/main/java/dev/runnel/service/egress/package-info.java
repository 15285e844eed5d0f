/// The network of isolated agents: a proxy that connects them to permitted hosts only.
@NullMarked
package dev.runnel.service.egress;

import org.jspecify.annotations.NullMarked;
