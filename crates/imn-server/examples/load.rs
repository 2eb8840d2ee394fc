//! The load generator of `bench/serve.sh` and `bench/soak.sh`.
//!
//! ```text
//! load ADDRESS TEXTS CONNECTIONS SECONDS [RATE]
//! ```
//!
//! Every connection posts one line of TEXTS after another to `/analyze`, each line a JSON body.
//! With RATE, requests start at that many a second, whether earlier ones are answered or not, as
//! long as a connection is free. The result is one JSON object: counts by status, and percentiles
//! of the time to the whole answer, for status 200 and for status 429.

#![allow(clippy::print_stdout, reason = "the result goes to standard output")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{sleep_until, timeout};

/// Times in seconds by status; status 0 is a request without an answer.
type Times = BTreeMap<u16, Vec<f64>>;

/// The longest time to wait for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

struct Plan {
    address: String,
    bodies: Vec<String>,
    next: AtomicUsize,
    start: Instant,
    end: Instant,
    /// Requests per second; as many as are answered if there is none.
    rate: Option<f64>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, texts, connections, seconds, rest @ ..] = arguments.as_slice() else {
        return Err("load ADDRESS TEXTS CONNECTIONS SECONDS [RATE]".into());
    };
    let bodies: Vec<String> = std::fs::read_to_string(texts)?
        .lines()
        .map(str::to_owned)
        .collect();
    let (connections, seconds): (usize, f64) = (connections.parse()?, seconds.parse()?);
    let rate = rest.first().map(|rate| rate.parse()).transpose()?;
    let start = Instant::now();
    let plan = Arc::new(Plan {
        address: address.clone(),
        bodies,
        next: AtomicUsize::new(0),
        start,
        end: start + Duration::from_secs_f64(seconds),
        rate,
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let times = runtime.block_on(async {
        let clients: Vec<_> = (0..connections)
            .map(|_| tokio::spawn(client(Arc::clone(&plan))))
            .collect();
        let mut all = Times::new();
        for client in clients {
            for (status, mut times) in client.await.unwrap_or_default() {
                all.entry(status).or_default().append(&mut times);
            }
        }
        all
    });
    let elapsed = start.elapsed().as_secs_f64();
    let counts: BTreeMap<String, usize> = times
        .iter()
        .map(|(status, times)| (status.to_string(), times.len()))
        .collect();
    let answered = times.get(&200).map_or(0, Vec::len);
    println!(
        "{}",
        json!({
            "seconds": elapsed,
            "per_second": answered as f64 / elapsed,
            "statuses": counts,
            "ok": percentiles(times.get(&200)),
            "refused": percentiles(times.get(&429)),
        })
    );
    Ok(())
}

fn percentiles(times: Option<&Vec<f64>>) -> serde_json::Value {
    let Some(times) = times else {
        return serde_json::Value::Null;
    };
    let mut times = times.clone();
    times.sort_by(f64::total_cmp);
    let at = |share: f64| 1e3 * times[((times.len() - 1) as f64 * share).round() as usize];
    json!({"p50": at(0.5), "p95": at(0.95), "p99": at(0.99), "max": at(1.0)})
}

/// One connection.
async fn client(plan: Arc<Plan>) -> Times {
    let mut times = Times::new();
    let mut stream = None;
    let mut buffer = Vec::new();
    loop {
        let number = plan.next.fetch_add(1, Ordering::Relaxed);
        if let Some(rate) = plan.rate {
            let due = plan.start + Duration::from_secs_f64(number as f64 / rate);
            if due >= plan.end {
                return times;
            }
            sleep_until(due.into()).await;
        }
        if Instant::now() >= plan.end {
            return times;
        }
        let body = &plan.bodies[number % plan.bodies.len()];
        let start = Instant::now();
        let asked = timeout(PATIENCE, ask(&plan.address, &mut stream, body, &mut buffer)).await;
        let status = match asked {
            Ok(Ok(status)) => status,
            _ => {
                stream = None;
                0
            }
        };
        times
            .entry(status)
            .or_default()
            .push(start.elapsed().as_secs_f64());
    }
}

/// Posts a body over a connection that is kept, and reads the whole answer.
async fn ask(
    address: &str,
    kept: &mut Option<TcpStream>,
    body: &str,
    buffer: &mut Vec<u8>,
) -> std::io::Result<u16> {
    let stream = match kept {
        Some(stream) => stream,
        None => {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            kept.insert(stream)
        }
    };
    let length = body.len();
    let request = format!(
        "POST /analyze HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await?;
    buffer.clear();
    let invalid = || std::io::Error::other("not an answer");
    loop {
        if stream.read_buf(buffer).await? == 0 {
            return Err(invalid());
        }
        let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") else {
            continue;
        };
        let head = std::str::from_utf8(&buffer[..end]).map_err(|_| invalid())?;
        let status = head.get(9..12).and_then(|status| status.parse().ok());
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.trim().parse::<usize>().ok())?
        });
        let (Some(status), Some(length)) = (status, length) else {
            return Err(invalid());
        };
        if buffer.len() >= end + 4 + length {
            return Ok(status);
        }
    }
}
