package dev.runnel.app;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.runnel.threads.SupervisedThread;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;

/// Threads are started by [SupervisedThread], so that the error that ends one is logged and told to
/// whoever waits.
@AnalyzeClasses(packages = "dev.runnel", importOptions = DoNotIncludeTests.class)
class ThreadsTest {
  /// Makers of threads.
  private static final Set<String> THREADS =
      Set.of("ofVirtual", "ofPlatform", "startVirtualThread", "<init>");

  /// They make threads of their own unless they get a factory.
  private static final Set<Class<?>> EXECUTORS =
      Set.of(Executors.class, ThreadPoolExecutor.class, ScheduledThreadPoolExecutor.class);

  /// The relay is a program of its own inside the isolation of an agent; the client is a library of
  /// other programs.
  @ArchTest
  static final ArchRule threadsAreSupervised =
      classes()
          .that()
          .resideOutsideOfPackages("dev.runnel.threads", "dev.runnel.client")
          .and()
          .haveSimpleNameNotStartingWith("EgressRelay")
          .should(
              new ArchCondition<JavaClass>("start threads with SupervisedThread alone") {
                @Override
                public void check(JavaClass item, ConditionEvents events) {
                  item.getCodeUnitCallsFromSelf().stream()
                      .filter(ThreadsTest::startsUnsupervised)
                      .forEach(
                          call ->
                              events.add(
                                  SimpleConditionEvent.violated(call, call.getDescription())));
                }
              });

  private static boolean startsUnsupervised(JavaCodeUnitAccess<?> call) {
    var owner = call.getTargetOwner();
    var target = call.getTarget();
    if (owner.isEquivalentTo(Thread.class)) {
      return THREADS.contains(target.getName());
    }
    return EXECUTORS.stream().anyMatch(owner::isEquivalentTo)
        && (target.getName().startsWith("new") || target.getName().equals("<init>"))
        && target.getRawParameterTypes().stream()
            .noneMatch(type -> type.isEquivalentTo(ThreadFactory.class));
  }
}
