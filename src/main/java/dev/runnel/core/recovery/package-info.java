/// [OutageRecovery] detects when the run service or a platform works again, and makes all rows due
/// that wait for it. A surface whose platform refuses our credential is put on hold by a row, which
/// all nodes obey. [StartFreeze] holds deliveries until starts are permitted again.
@NullMarked
package dev.runnel.core.recovery;

import org.jspecify.annotations.NullMarked;
