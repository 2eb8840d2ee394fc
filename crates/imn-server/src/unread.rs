//! Receives and discards, in the background, the rest of a body that its route does not read.
//!
//! A connection whose body is not read is closed after the answer, and a client that is still
//! sending then loses the answer: it sees a broken pipe instead of a 413. So the rest of the body
//! is received, within limits, while the answer is on its way.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header;
use axum::middleware::Next;
use axum::response::Response;
use http_body_util::BodyExt as _;
use hyper::body::{Body as HttpBody, Frame, SizeHint};

/// Maximum number of discarded bytes.
const MOST_BYTES: usize = 1 << 26;

/// Maximum time to receive them.
const MOST_TIME: Duration = Duration::from_secs(2);

/// A body that a route and the layer around it share.
#[derive(Clone)]
struct SharedBody(Arc<Mutex<State>>);

struct State {
    body: Body,
    /// Whether the route has started to read the body.
    begun: bool,
    /// Whether there is nothing more to receive.
    ended: bool,
}

impl SharedBody {
    fn new(body: Body) -> Self {
        let ended = body.is_end_stream();
        Self(Arc::new(Mutex::new(State {
            body,
            begun: false,
            ended,
        })))
    }

    /// The state. A panic while it was locked leaves it usable: every change is one statement.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HttpBody for SharedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let mut state = self.lock();
        state.begun = true;
        let polled = Pin::new(&mut state.body).poll_frame(context);
        if let Poll::Ready(None | Some(Err(_))) = polled {
            state.ended = true;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.lock().body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.lock().body.size_hint()
    }
}

/// Receives the rest of a body that its route did not read.
pub async fn received(request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    // A client that waits for permission to send its body has sent none of it.
    let waits = head.headers.contains_key(header::EXPECT);
    let body = SharedBody::new(body);
    let request = Request::from_parts(head, Body::new(body.clone()));
    let answer = next.run(request).await;
    let is_left = {
        let state = body.lock();
        let ended = state.ended || state.body.is_end_stream();
        !ended && (state.begun || !waits)
    };
    if is_left {
        tokio::spawn(tokio::time::timeout(MOST_TIME, drain(body)));
    }
    answer
}

async fn drain(mut body: SharedBody) {
    let mut received = 0;
    while let Some(Ok(frame)) = body.frame().await {
        received += frame.data_ref().map_or(0, Bytes::len);
        if received > MOST_BYTES {
            return;
        }
    }
}
