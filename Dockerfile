# Two stages: the first builds, the second holds Java, git, bubblewrap, the launcher, the jar and the cache of its
# classes. `scripts/image` builds it without a registry, and tries it.
ARG BUILD=maven:3.9-eclipse-temurin-25
ARG BASE=eclipse-temurin:25-jre

FROM ${BUILD} AS build
WORKDIR /src
COPY pom.xml manifest.yml ./
COPY src src
RUN mvn -B -q -Dquick package

FROM ${BASE}
RUN apt-get update -q \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends bubblewrap git \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --create-home --home-dir /var/lib/runnel runnel
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
ENTRYPOINT ["runnel"]
CMD ["serve"]
