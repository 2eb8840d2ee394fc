//! The paper's tables, made of the results of runs.
