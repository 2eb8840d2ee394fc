//! Tickets: a link that carries one works once, within a minute, without the API key.
//!
//! A browser that follows a link or saves a file cannot send the `Authorization` header, and the
//! key itself must not be in an address: addresses are kept in histories and logs. So the page asks
//! for a ticket with its key and puts that into the link. A ticket is 128 random bits, belongs to
//! one job, and is compared in constant time.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use subtle::{Choice, ConstantTimeEq as _};

use crate::error::ApiError;

/// How long a ticket is valid.
pub const LIFETIME: Duration = Duration::from_secs(60);

/// Maximum number of valid tickets. A further one replaces the oldest.
const MOST: usize = 1000;

/// Hexadecimal digits of a ticket.
const DIGITS: usize = 32;

#[derive(Debug)]
struct Ticket {
    secret: String,
    job: String,
    until: Instant,
}

/// All tickets that were issued and not used.
#[derive(Debug, Default)]
pub struct Tickets {
    valid: Mutex<Vec<Ticket>>,
}

impl Tickets {
    /// Issues a ticket for one request about a job.
    ///
    /// # Errors
    /// If the operating system has no random numbers.
    pub fn issue(&self, job: &str) -> Result<String, ApiError> {
        let mut bytes = [0; DIGITS / 2];
        getrandom::fill(&mut bytes).map_err(ApiError::internal)?;
        let secret: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let now = Instant::now();
        let mut valid = self.valid.lock().unwrap_or_else(PoisonError::into_inner);
        valid.retain(|ticket| ticket.until > now);
        if valid.len() == MOST {
            valid.remove(0);
        }
        valid.push(Ticket {
            secret: secret.clone(),
            job: job.to_owned(),
            until: now + LIFETIME,
        });
        Ok(secret)
    }

    /// Whether a ticket is valid for this job. A valid ticket is removed. Tickets are compared in
    /// constant time.
    pub fn redeem(&self, job: &str, sent: &str) -> bool {
        self.redeem_at(job, sent, Instant::now())
    }

    fn redeem_at(&self, job: &str, sent: &str, now: Instant) -> bool {
        let mut valid = self.valid.lock().unwrap_or_else(PoisonError::into_inner);
        valid.retain(|ticket| ticket.until > now);
        let mut found = None;
        for (at, ticket) in valid.iter().enumerate() {
            let secret = ticket.secret.as_bytes().ct_eq(sent.as_bytes());
            let same: Choice = secret & ticket.job.as_bytes().ct_eq(job.as_bytes());
            if same.into() {
                found = Some(at);
            }
        }
        found.map(|at| valid.remove(at)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_works_once_for_its_job() {
        let tickets = Tickets::default();
        let (first, second) = (tickets.issue("a").unwrap(), tickets.issue("a").unwrap());
        assert_ne!(first, second);
        assert_eq!(first.len(), DIGITS);
        for wrong in [
            "",
            "0",
            &first[1..],
            &format!("{first}0"),
            &"0".repeat(DIGITS),
        ] {
            assert!(!tickets.redeem("a", wrong), "{wrong}");
        }
        assert!(!tickets.redeem("b", &first));
        assert!(tickets.redeem("a", &first));
        assert!(!tickets.redeem("a", &first));
        assert!(tickets.redeem("a", &second));
    }

    #[test]
    fn a_ticket_expires_and_the_oldest_give_way() {
        let tickets = Tickets::default();
        let ticket = tickets.issue("a").unwrap();
        assert!(!tickets.redeem_at("a", &ticket, Instant::now() + LIFETIME));
        let oldest = tickets.issue("a").unwrap();
        for _ in 0..MOST {
            tickets.issue("b").unwrap();
        }
        assert!(!tickets.redeem("a", &oldest));
    }
}
