//! Typed input columns: converts their JSON text back to Arrow arrays.

use std::str::FromStr;
use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal128Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, BooleanArray, PrimitiveArray};
use arrow_schema::{ArrowError, DataType, TimeUnit};
use chrono::{DateTime, NaiveDate, NaiveDateTime};
use imn::analyze::RawJson;

/// Converts values to an array of this type; `None` is null.
pub(super) fn array<'a>(
    name: &str,
    kind: &DataType,
    values: impl Iterator<Item = Option<&'a RawJson>>,
) -> Result<ArrayRef, ArrowError> {
    let column = Column { name, kind };
    match kind {
        DataType::Boolean => {
            let parsed: Result<BooleanArray, ArrowError> = values
                .map(|value| column.parse(value, |json| json.parse::<bool>().ok()))
                .collect();
            Ok(Arc::new(parsed?))
        }
        DataType::Int8 => column.numbers::<Int8Type>(values),
        DataType::Int16 => column.numbers::<Int16Type>(values),
        DataType::Int32 => column.numbers::<Int32Type>(values),
        DataType::Int64 => column.numbers::<Int64Type>(values),
        DataType::UInt8 => column.numbers::<UInt8Type>(values),
        DataType::UInt16 => column.numbers::<UInt16Type>(values),
        DataType::UInt32 => column.numbers::<UInt32Type>(values),
        DataType::UInt64 => column.numbers::<UInt64Type>(values),
        DataType::Float32 => column.numbers::<Float32Type>(values),
        DataType::Float64 => column.numbers::<Float64Type>(values),
        DataType::Date32 => column.primitives::<Date32Type>(values, |json| {
            let date: NaiveDate = text(json)?.parse().ok()?;
            let days = date.signed_duration_since(NaiveDate::default()).num_days();
            i32::try_from(days).ok()
        }),
        DataType::Date64 => column.primitives::<Date64Type>(values, |json| {
            Some(naive(json)?.and_utc().timestamp_millis())
        }),
        DataType::Timestamp(unit, zone) => {
            let moment = |json: &str| match zone {
                None => Some(naive(json)?.and_utc()),
                Some(_) => Some(DateTime::parse_from_rfc3339(&text(json)?).ok()?.to_utc()),
            };
            match unit {
                TimeUnit::Second => column.primitives::<TimestampSecondType>(values, |json| {
                    Some(moment(json)?.timestamp())
                }),
                TimeUnit::Millisecond => column
                    .primitives::<TimestampMillisecondType>(values, |json| {
                        Some(moment(json)?.timestamp_millis())
                    }),
                TimeUnit::Microsecond => column
                    .primitives::<TimestampMicrosecondType>(values, |json| {
                        Some(moment(json)?.timestamp_micros())
                    }),
                TimeUnit::Nanosecond => column
                    .primitives::<TimestampNanosecondType>(values, |json| {
                        moment(json)?.timestamp_nanos_opt()
                    }),
            }
        }
        DataType::Decimal128(_, scale) => {
            column.primitives::<Decimal128Type>(values, |json| decimal(json, *scale))
        }
        other => Err(ArrowError::NotYetImplemented(format!(
            "column `{name}` of type {other}"
        ))),
    }
}

struct Column<'a> {
    name: &'a str,
    kind: &'a DataType,
}

impl Column<'_> {
    fn parse<T>(
        &self,
        value: Option<&RawJson>,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, ArrowError> {
        let Some(value) = value else { return Ok(None) };
        let wrong = || {
            let (json, Self { name, kind }) = (value.get(), self);
            ArrowError::ParseError(format!("column `{name}`: {json} is not of type {kind}"))
        };
        parse(value.get()).ok_or_else(wrong).map(Some)
    }

    fn primitives<'a, T: ArrowPrimitiveType>(
        &self,
        values: impl Iterator<Item = Option<&'a RawJson>>,
        parse: impl Fn(&str) -> Option<T::Native>,
    ) -> Result<ArrayRef, ArrowError> {
        let parsed: Result<PrimitiveArray<T>, ArrowError> =
            values.map(|value| self.parse(value, &parse)).collect();
        // The data type also has the time zone or the precision, which `T` lacks.
        Ok(Arc::new(parsed?.with_data_type(self.kind.clone())))
    }

    fn numbers<'a, T: ArrowPrimitiveType<Native: FromStr>>(
        &self,
        values: impl Iterator<Item = Option<&'a RawJson>>,
    ) -> Result<ArrayRef, ArrowError> {
        self.primitives::<T>(values, |json| json.parse().ok())
    }
}

fn text(json: &str) -> Option<String> {
    serde_json::from_str(json).ok()
}

fn naive(json: &str) -> Option<NaiveDateTime> {
    text(json)?.parse().ok()
}

/// The integer that stores a decimal number with `scale` digits after the point.
fn decimal(json: &str, scale: i8) -> Option<i128> {
    let (sign, digits) = match json.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, json),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let written: i128 = format!("{whole}{fraction}").parse().ok()?;
    let power = |exponent: i32| 10_i128.checked_pow(exponent.unsigned_abs());
    let exponent = i32::from(scale) - i32::try_from(fraction.len()).ok()?;
    let stored = if exponent >= 0 {
        written.checked_mul(power(exponent)?)?
    } else {
        let power = power(exponent)?;
        (written % power == 0).then_some(written / power)?
    };
    Some(sign * stored)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_stored_as_whole_numbers() {
        for (json, scale, stored) in [
            ("1.23", 2, Some(123)),
            ("-0.05", 2, Some(-5)),
            ("7", 3, Some(7000)),
            ("1200", -2, Some(12)),
            ("1.5", 0, None),
            ("x", 2, None),
        ] {
            assert_eq!(decimal(json, scale), stored, "{json}");
        }
    }
}
