//! One scorer for every system, and the statistics that compare systems.
