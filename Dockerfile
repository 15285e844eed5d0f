# Two stages: the first builds the jar and a Java runtime of the modules that it uses, the second holds these, git,
# bubblewrap, the launcher and the cache of its classes. `scripts/image` builds it without a registry, and tries it.
ARG BUILD=maven:3.9-eclipse-temurin-25
ARG BASE=debian:bookworm-slim

FROM ${BUILD} AS build
WORKDIR /src
COPY pom.xml manifest.yml ./
COPY src src
RUN mvn -B -q -Dquick package
# What `jdeps --print-module-deps` finds, zip file systems and the times of the machine.
RUN "$JAVA_HOME/bin/jlink" --output /runtime --strip-java-debug-attributes --no-header-files --no-man-pages --compress zip-6 \
    --add-modules java.desktop,java.naming,java.net.http,java.scripting,java.security.jgss,java.sql,jdk.management,jdk.unsupported,jdk.zipfs \
    # Nothing draws or plays.
    && cd /runtime/lib \
    && rm -f libawt* libfontmanager.so libfreetype.so libjavajpeg.so libjawt.so libjsound.so liblcms.so libmlib_image.so libsplashscreen.so

FROM ${BASE}
# Left out: Perl's library, git's servers and its fetch from servers that know no git, which neither Runnel nor an
# agent's git commands use, and the second copy of git.
# `apt-get install --reinstall PACKAGE` brings them.
RUN apt-get update -q \
    && printf 'path-exclude=%s\n' '/usr/share/perl/*' '/usr/share/perl5/*' '/usr/lib/*/perl/*' '/usr/lib/*/libperl.so.*' '/usr/bin/scalar' \
        '/usr/bin/git-shell' '/usr/lib/git-core/scalar' '/usr/lib/git-core/git-shell' '/usr/lib/git-core/git-daemon' \
        '/usr/lib/git-core/git-http-backend' '/usr/lib/git-core/git-http-fetch' '/usr/lib/git-core/git-http-push' \
        '/usr/lib/git-core/git-imap-send' '/usr/lib/git-core/git' \
        > /etc/dpkg/dpkg.cfg.d/runnel \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends bubblewrap ca-certificates git \
    && ln -s ../../bin/git /usr/lib/git-core/git \
    && rm /etc/dpkg/dpkg.cfg.d/runnel \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
    && useradd --system --create-home --home-dir /var/lib/runnel runnel
COPY --from=build /runtime /opt/java/runtime
WORKDIR /opt/runnel
COPY --from=build /src/target/runnel-all.jar target/
COPY runnel ./
# The launcher gives Java its options: what stood in the environment would reach agents. It makes the cache here, and
# cannot later.
RUN ln -s /opt/runnel/runnel /usr/local/bin/runnel && runnel --version && ls target/runnel-*.aot
ENV RUNNEL_HOST=0.0.0.0 \
    RUNNEL_DATA=/var/lib/runnel/data
USER runnel
VOLUME /var/lib/runnel
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD \
    ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/${PORT:-8080} && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 && grep -q ' 200 ' <&3"]
ENTRYPOINT ["runnel"]
CMD ["serve"]
