package dev.runnel.service.execution;

import dev.runnel.service.store.ExecutionRecords;
import dev.runnel.service.store.NodeMembership;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps this node's lease, and ends what lost nodes were working on.
///
/// When the lease was not renewed for three quarters of its time, the agents of this node are
/// ended: once it is over, others may go on with the same runs. One thread asks the database,
/// another only looks at the time, so that a database that does not answer delays nothing. Both are
/// platform threads: virtual ones wait when others compute, or read files of a slow volume.
final class LeaseKeeper implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);
  private static final int LOOKS = 40;

  /// What a node does that may be taken for lost.
  interface Work {
    /// Ends all executions at once; returns without waiting for them.
    void abandon();

    /// Whether no execution is left.
    boolean isIdle();
  }

  private final NodeMembership membership;
  private final ExecutionRecords records;
  private final Work work;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread renewing;
  private final Thread watching;

  private LeaseKeeper(NodeMembership membership, ExecutionRecords records, Work work) {
    this.membership = membership;
    this.records = records;
    this.work = work;
    this.renewing = Thread.ofPlatform().daemon().name("lease").unstarted(this::renew);
    this.watching = Thread.ofPlatform().daemon().name("lease-watch").unstarted(this::watch);
  }

  static LeaseKeeper start(NodeMembership membership, ExecutionRecords records, Work work) {
    var keeper = new LeaseKeeper(membership, records, work);
    if (!membership.isAlone()) {
      keeper.renewing.start();
      keeper.watching.start();
    }
    return keeper;
  }

  /// Keeps the lease no longer, and tells others that it is over.
  @Override
  public void close() {
    closed.countDown();
    try {
      renewing.join();
      watching.join();
      membership.leave();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      log.warn("cannot end the lease, others will notice error={}", e.toString());
    }
  }

  private void renew() {
    var isMember = true;
    try {
      while (!isOver(membership.lease().dividedBy(NodeMembership.RENEWALS))) {
        try {
          if (isMember && !membership.renew()) {
            log.error("taken for lost by another node, ending all agents");
            work.abandon();
            isMember = false;
          }
          // What was claimed before must have ended, because the next claims have another name.
          if (!isMember && work.isIdle()) {
            membership.joinAgain();
            isMember = true;
            log.info("joined again node={}", membership.id());
          }
          records.endLost();
        } catch (RuntimeException | OutOfMemoryError e) {
          log.warn("cannot renew the lease, will retry error={}", e.toString());
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void watch() {
    var wasSure = true;
    try {
      while (!isOver(membership.lease().dividedBy(LOOKS))) {
        var isSure = membership.isSure();
        if (!isSure && wasSure) {
          log.error("lease not renewed in time, ending all agents");
        }
        wasSure = isSure;
        try {
          if (!isSure) {
            work.abandon();
          }
        } catch (RuntimeException | OutOfMemoryError e) {
          log.error("cannot end agents, will retry", e);
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isOver(Duration pause) throws InterruptedException {
    return closed.await(pause.toNanos(), TimeUnit.NANOSECONDS);
  }
}
