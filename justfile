# Names for what cargo and .ci/ do. Nothing needs just: each line can be typed as it is.

# List the recipes.
default:
    @just --list

# Open the playground.
play:
    cargo run

# Run all tests.
test:
    cargo test

# Format, lint and run the quick checks of the repository.
check:
    cargo fmt --check
    cargo clippy --all-targets --locked -- -D warnings
    cargo test --locked --test tidy

# Rewrite generated documents.
docs:
    ANTEROOM_REWRITE=1 cargo test --locked --test tidy
    WRITE_DOCS=1 cargo test --locked --lib chat::commands
    ANTEROOM_REWRITE=1 cargo test --locked --test it flows::
    ANTEROOM_REWRITE=1 cargo test --locked --test platforms delivery_of_each

# Measure the code base at some commits, side by side: `just measure v0.1.0 HEAD`.
measure *commits:
    .ci/measure {{commits}}

# Everything that CI checks.
ci:
    .ci/run

# What takes too long for every change: about two hours.
long:
    .ci/long

# Fuzz every target for so many seconds.
fuzz seconds="60":
    .ci/fuzz {{seconds}}

# Build the container image and start it.
image:
    .ci/image

# Type-check the code that only a Mac compiles.
mac:
    .ci/mac-check --plant

# Measure the program under load in Slack; `BOUND='program --dir {data}' just bench` measures another one beside it.
bench:
    cargo bench --locked --bench rig

# Measure its parts.
bench-parts:
    cargo bench --locked --bench core --bench turns --bench start

# Licences, bans and sources of dependencies.
deny:
    cargo deny check licenses bans sources
