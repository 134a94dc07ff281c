//! Work on what others made, done by a child of this same program with little memory and time: whatever it does to
//! itself, it does to nobody else.
//!
//! The child gets its input on standard input and answers on standard output. `main` looks whether it is such a child
//! before anything else: threads that a runtime starts would count against the limit on memory.

use std::{io, path::Path, process::Stdio};

use rustix::process::{Resource, Rlimit, setrlimit};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::{Child, Command},
};

/// Starts `program` with arguments and nothing of our environment, gives it its input and reads its last line, of an
/// answer of at most `answer_max` bytes. Has no time limit of its own; dropping the future kills the child.
pub async fn ask(
    program: &Path,
    args: &[&str],
    given: &[u8],
    answer_max: u64,
) -> io::Result<Vec<u8>> {
    let mut child = start(program, args)?;
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::Error::other("the child has no pipes"));
    };
    let mut answer = Vec::new();
    let mut output = output.take(answer_max);
    // A child that dies early closes its input; that is seen in its answer, not here.
    let send = async {
        let sent = input.write_all(given).await;
        drop(input);
        sent
    };
    let (_, received) = tokio::join!(send, output.read_to_end(&mut answer));
    received?;
    if output.limit() == 0 {
        return Err(io::Error::other("the child said too much"));
    }
    let status = child.wait().await?;
    if !status.success() {
        return Err(io::Error::other(format!("the child ended with {status}")));
    }
    // A library may have printed something before; the answer is the last line.
    let line = answer.trim_ascii_end().rsplit(|byte| *byte == b'\n').next();
    Ok(line.unwrap_or_default().to_vec())
}

fn start(program: &Path, args: &[&str]) -> io::Result<Child> {
    Command::new(program)
        .args(args)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
}

/// In the child: gives up all but so many bytes of memory, seconds of processor and 16 open files. No file is written,
/// and nobody's text is in a core dump.
pub fn limit(memory_bytes: u64, processor_seconds: u64) -> io::Result<()> {
    for (resource, most) in [
        (Resource::As, memory_bytes),
        (Resource::Cpu, processor_seconds),
        (Resource::Nofile, 16),
        (Resource::Fsize, 0),
        (Resource::Core, 0),
    ] {
        let set = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
        // macOS refuses to limit the address space; the others hold there too.
        if cfg!(target_os = "linux") {
            set?;
        }
    }
    Ok(())
}
