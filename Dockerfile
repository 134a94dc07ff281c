# syntax=docker/dockerfile:1

# Build with `docker build -t anteroom .`, run with
# `docker run --read-only --env-file secrets.env -v anteroom:/data -v ./config.toml:/etc/anteroom/config.toml:ro anteroom`.

FROM rust:1.95-slim-bookworm AS build
# Versions of Debian's packages are not pinned: the newest holds the security fixes.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY build.rs Cargo.toml Cargo.lock ./
COPY src src
# Cargo reads no manifest whose benches are missing.
COPY benches benches
COPY manifests manifests
# `dist` is `release` with link-time optimisation; say `--build-arg PROFILE=release` for a quicker build.
ARG PROFILE=dist
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo build --locked --profile "$PROFILE" --bin anteroom \
    && if [ "$PROFILE" = dev ]; then folder=debug; else folder=$PROFILE; fi \
    && cp "target/$folder/anteroom" /usr/local/bin/anteroom

FROM debian:bookworm-slim
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 anteroom \
    && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin anteroom \
    && install --directory --owner anteroom --group anteroom --mode 0700 /data
COPY --from=build /usr/local/bin/anteroom /usr/local/bin/anteroom
COPY LICENSE-APACHE LICENSE-MIT /usr/share/doc/anteroom/
# The fonts in the program come with their own.
COPY manifests/fonts/LICENSE.txt /usr/share/doc/anteroom/fonts/
USER 10001:10001
ENV ANTEROOM_DATA_DIR=/data ANTEROOM_LOG_FORMAT=json
VOLUME /data
STOPSIGNAL SIGTERM
# It reads the same configuration and environment as the bot, so it asks where the bot listens.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
    CMD ["anteroom", "healthcheck", "--config", "/etc/anteroom/config.toml"]
ENTRYPOINT ["anteroom"]
CMD ["run", "--config", "/etc/anteroom/config.toml"]
