# Two stages: the first builds, the second holds Java, the jar and the cache of its classes.
ARG BUILD=maven:3.9-eclipse-temurin-25
ARG BASE=eclipse-temurin:25-jre

FROM ${BUILD} AS build
WORKDIR /src
COPY pom.xml ./
COPY src src
RUN mvn -B -q -DskipTests package

FROM ${BASE}
RUN useradd --system --create-home --home-dir /var/lib/runnel runnel
WORKDIR /opt/runnel
COPY --from=build /src/target/runnel-all.jar runnel.jar
ENV RUNNEL_HOST=0.0.0.0 \
    RUNNEL_DATA=/var/lib/runnel/data \
    JAVA_TOOL_OPTIONS="-XX:+UseSerialGC -XX:+UseCompactObjectHeaders -Xss512k -Xms16m -Xmx256m -XX:TrimNativeHeapInterval=5000" \
    MALLOC_ARENA_MAX=1
# The platforms are on, with an address where nobody answers, so that their classes are in the cache.
RUN SLACK_API_URL=http://127.0.0.1:9/api/ SLACK_SIGNING_SECRET=none SLACK_BOT_TOKEN=none \
    GITHUB_WEBHOOK_SECRET=none GITHUB_TOKEN=none \
    java -XX:AOTCacheOutput=/opt/runnel/runnel.aot -jar runnel.jar serve --port 0 --data /tmp/training --exit-when-ready \
    && rm -rf /tmp/training
USER runnel
VOLUME /var/lib/runnel
EXPOSE 8080
ENTRYPOINT ["java", "-XX:AOTCache=/opt/runnel/runnel.aot", "-jar", "/opt/runnel/runnel.jar"]
CMD ["serve"]
