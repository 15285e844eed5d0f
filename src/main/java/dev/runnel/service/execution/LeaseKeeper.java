package dev.runnel.service.execution;

import dev.runnel.service.store.ExecutionRecords;
import dev.runnel.service.store.NodeMembership;
import dev.runnel.threads.SupervisedThread;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Renews this node's lease, and ends the executions of lost nodes.
///
/// When the lease was not renewed for three quarters of its duration, the agents of this node are
/// ended, because after its end other nodes may continue the same runs. One thread renews the lease
/// in the database, another only checks the time, so that a database that does not respond causes
/// no delay. Both are platform threads, because virtual threads may be delayed by others that
/// compute, or read files of a slow volume.
final class LeaseKeeper implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);
  private static final int CHECKS_PER_LEASE = 40;

  /// The work of this node, which must stop if the node may be considered lost.
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
  private final Thread renewer;
  private final Thread watcher;

  private LeaseKeeper(NodeMembership membership, ExecutionRecords records, Work work) {
    this.membership = membership;
    this.records = records;
    this.work = work;
    this.renewer = SupervisedThread.daemons("lease").newThread(this::renew);
    this.watcher = SupervisedThread.daemons("lease-watch").newThread(this::watch);
  }

  static LeaseKeeper start(NodeMembership membership, ExecutionRecords records, Work work) {
    var keeper = new LeaseKeeper(membership, records, work);
    if (!membership.isAlone()) {
      keeper.renewer.start();
      keeper.watcher.start();
    }
    return keeper;
  }

  /// Stops renewing the lease, and ends it.
  @Override
  public void close() {
    closed.countDown();
    try {
      renewer.join();
      watcher.join();
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
      while (!isClosedWithin(membership.lease().dividedBy(NodeMembership.RENEWALS_PER_LEASE))) {
        try {
          if (isMember && !membership.renew()) {
            log.error("considered lost by another node, ending all agents");
            work.abandon();
            isMember = false;
          }
          // Earlier executions must have ended, because the next claims are made with another node
          // id.
          if (!isMember && work.isIdle()) {
            membership.joinAgain();
            isMember = true;
            log.info("joined again node={}", membership.id());
          }
          records.endLostExecutions();
        } catch (Throwable e) {
          log.warn("cannot renew the lease, will retry error={}", e.toString());
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void watch() {
    var wasSafe = true;
    try {
      while (!isClosedWithin(membership.lease().dividedBy(CHECKS_PER_LEASE))) {
        var isLeaseSafe = membership.isLeaseSafe();
        if (!isLeaseSafe && wasSafe) {
          log.error("lease not renewed in time, ending all agents");
        }
        wasSafe = isLeaseSafe;
        try {
          if (!isLeaseSafe) {
            work.abandon();
          }
        } catch (Throwable e) {
          log.error("cannot end agents, will retry", e);
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isClosedWithin(Duration pause) throws InterruptedException {
    return closed.await(pause.toNanos(), TimeUnit.NANOSECONDS);
  }
}
