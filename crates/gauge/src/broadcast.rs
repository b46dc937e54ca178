//! Lower bound of the cost of a broadcast: writes each frame to many bare connections in turn.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::{Duration, Instant, SystemTime};

/// Prints its port, accepts that many clients, writes the frames that far apart, and waits until its input ends.
pub fn run(words: &[String]) -> Result<(), String> {
    let numbers: Vec<u64> =
        words.iter().map(|word| word.parse::<u64>()).collect::<Result<_, _>>().map_err(|e| e.to_string())?;
    let [clients, frames, bytes, pause] = numbers.as_slice() else {
        return Err("broadcast takes four numbers".to_owned());
    };
    let served =
        serve(*clients, *frames, usize::try_from(*bytes).map_err(|e| e.to_string())?, Duration::from_micros(*pause));
    served.map_err(|error| format!("the broadcast broke off: {error}"))
}

fn serve(clients: u64, frames: u64, bytes: usize, pause: Duration) -> std::io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    println!("{}", listener.local_addr()?.port());
    let mut streams = Vec::new();
    for _ in 0..clients {
        let (stream, _) = listener.accept()?;
        stream.set_nodelay(true)?;
        streams.push(stream);
    }
    let mut frame = vec![b'x'; bytes.max(16)];
    let start = Instant::now();
    for number in 0..=frames {
        let due = pause * u32::try_from(number).unwrap_or(u32::MAX);
        std::thread::sleep(due.saturating_sub(start.elapsed()));
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
        let stamp = if number == frames { 0 } else { u64::try_from(now).unwrap_or(u64::MAX) };
        frame[..8].copy_from_slice(&stamp.to_le_bytes());
        for stream in &mut streams {
            stream.write_all(&frame)?;
        }
    }
    // The parent process reads this process's CPU time first.
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
