//! Values of Arrow arrays as JSON text.
//!
//! Numbers and booleans stay numbers and booleans; NaN and infinities become null. Dates, times and
//! durations become ISO 8601 strings, bytes hexadecimal strings, lists arrays, structs and maps
//! objects.

use std::fmt::Write as _;

use arrow_array::cast::AsArray as _;
use arrow_array::temporal_conversions::{
    as_datetime, date32_to_datetime, date64_to_datetime, duration_ns_to_duration,
    duration_us_to_duration, time32ms_to_time, time32s_to_time, time64ns_to_time, time64us_to_time,
    try_duration_ms_to_duration, try_duration_s_to_duration,
};
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type,
    Decimal256Type, DecimalType, DurationMicrosecondType, DurationMillisecondType,
    DurationNanosecondType, DurationSecondType, Float16Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowNativeTypeOp as _};
use arrow_schema::{DataType, TimeUnit};
use chrono::{DateTime, FixedOffset, NaiveDateTime, SecondsFormat, Utc};

/// Whether values of this type can be converted.
pub(super) fn is_supported(kind: &DataType) -> bool {
    match kind {
        DataType::Interval(_)
        | DataType::ListView(_)
        | DataType::LargeListView(_)
        | DataType::Union(..)
        | DataType::RunEndEncoded(..) => false,
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            is_supported(item.data_type())
        }
        DataType::Map(entries, _) => is_supported(entries.data_type()),
        DataType::Struct(fields) => fields.iter().all(|field| is_supported(field.data_type())),
        DataType::Dictionary(_, values) => is_supported(values),
        _ => true,
    }
}

/// The value as a string, or the kind of a value that is none.
pub(super) fn text(array: &dyn Array, i: usize) -> Result<String, &'static str> {
    if array.is_null(i) {
        return Err("null");
    }
    match array.data_type() {
        DataType::Utf8 => Ok(array.as_string::<i32>().value(i).to_owned()),
        DataType::LargeUtf8 => Ok(array.as_string::<i64>().value(i).to_owned()),
        DataType::Utf8View => Ok(array.as_string_view().value(i).to_owned()),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            text(dictionary.values().as_ref(), key(dictionary.keys(), i))
        }
        DataType::Boolean => Err("true or false"),
        DataType::Struct(_) | DataType::Map(..) => Err("an object"),
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => Err("a list"),
        kind if kind.is_numeric() => Err("a number"),
        _ => {
            // Dates, times and bytes are strings in JSON, so a column of them can be the text.
            let mut json = String::new();
            append(array, i, &mut json);
            serde_json::from_str(&json).map_err(|_| "no string")
        }
    }
}

/// Appends the JSON of a value whose type is supported.
pub(super) fn append(array: &dyn Array, i: usize, out: &mut String) {
    if array.is_null(i) {
        out.push_str("null");
        return;
    }
    match array.data_type() {
        DataType::Boolean => out.push_str(if array.as_boolean().value(i) {
            "true"
        } else {
            "false"
        }),
        DataType::Int8 => number::<Int8Type>(array, i, out),
        DataType::Int16 => number::<Int16Type>(array, i, out),
        DataType::Int32 => number::<Int32Type>(array, i, out),
        DataType::Int64 => number::<Int64Type>(array, i, out),
        DataType::UInt8 => number::<UInt8Type>(array, i, out),
        DataType::UInt16 => number::<UInt16Type>(array, i, out),
        DataType::UInt32 => number::<UInt32Type>(array, i, out),
        DataType::UInt64 => number::<UInt64Type>(array, i, out),
        DataType::Float16 => {
            let value = array.as_primitive::<Float16Type>().value(i);
            append_json(&value.to_f32(), out);
        }
        DataType::Float32 => append_json(&array.as_primitive::<Float32Type>().value(i), out),
        DataType::Float64 => append_json(&array.as_primitive::<Float64Type>().value(i), out),
        DataType::Decimal32(_, scale) => decimal::<Decimal32Type>(array, i, *scale, out),
        DataType::Decimal64(_, scale) => decimal::<Decimal64Type>(array, i, *scale, out),
        DataType::Decimal128(_, scale) => decimal::<Decimal128Type>(array, i, *scale, out),
        DataType::Decimal256(_, scale) => decimal::<Decimal256Type>(array, i, *scale, out),
        DataType::Utf8 => append_json(array.as_string::<i32>().value(i), out),
        DataType::LargeUtf8 => append_json(array.as_string::<i64>().value(i), out),
        DataType::Utf8View => append_json(array.as_string_view().value(i), out),
        DataType::Binary => hexadecimal(array.as_binary::<i32>().value(i), out),
        DataType::LargeBinary => hexadecimal(array.as_binary::<i64>().value(i), out),
        DataType::BinaryView => hexadecimal(array.as_binary_view().value(i), out),
        DataType::FixedSizeBinary(_) => hexadecimal(array.as_fixed_size_binary().value(i), out),
        DataType::Date32 => {
            let date = date32_to_datetime(array.as_primitive::<Date32Type>().value(i));
            quoted(date.map(|date| date.date()), out);
        }
        DataType::Date64 => quoted(
            date64_to_datetime(array.as_primitive::<Date64Type>().value(i)),
            out,
        ),
        DataType::Time32(TimeUnit::Second) => quoted(
            time32s_to_time(array.as_primitive::<Time32SecondType>().value(i)),
            out,
        ),
        DataType::Time32(_) => quoted(
            time32ms_to_time(array.as_primitive::<Time32MillisecondType>().value(i)),
            out,
        ),
        DataType::Time64(TimeUnit::Nanosecond) => quoted(
            time64ns_to_time(array.as_primitive::<Time64NanosecondType>().value(i)),
            out,
        ),
        DataType::Time64(_) => quoted(
            time64us_to_time(array.as_primitive::<Time64MicrosecondType>().value(i)),
            out,
        ),
        DataType::Duration(unit) => {
            let duration = match unit {
                TimeUnit::Second => {
                    try_duration_s_to_duration(array.as_primitive::<DurationSecondType>().value(i))
                }
                TimeUnit::Millisecond => try_duration_ms_to_duration(
                    array.as_primitive::<DurationMillisecondType>().value(i),
                ),
                TimeUnit::Microsecond => Some(duration_us_to_duration(
                    array.as_primitive::<DurationMicrosecondType>().value(i),
                )),
                TimeUnit::Nanosecond => Some(duration_ns_to_duration(
                    array.as_primitive::<DurationNanosecondType>().value(i),
                )),
            };
            append_json(&duration.map(|duration| duration.to_string()), out);
        }
        DataType::Timestamp(unit, zone) => {
            let time = match unit {
                TimeUnit::Second => datetime::<TimestampSecondType>(array, i),
                TimeUnit::Millisecond => datetime::<TimestampMillisecondType>(array, i),
                TimeUnit::Microsecond => datetime::<TimestampMicrosecondType>(array, i),
                TimeUnit::Nanosecond => datetime::<TimestampNanosecondType>(array, i),
            };
            match zone {
                None => quoted(time, out),
                Some(zone) => match time {
                    None => out.push_str("null"),
                    Some(time) => append_json(&in_zone(time, zone), out),
                },
            }
        }
        DataType::List(_) => list(array.as_list::<i32>().value(i).as_ref(), out),
        DataType::LargeList(_) => list(array.as_list::<i64>().value(i).as_ref(), out),
        DataType::FixedSizeList(..) => list(array.as_fixed_size_list().value(i).as_ref(), out),
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns();
            object(
                fields
                    .iter()
                    .zip(columns)
                    .map(|(field, column)| (field.name().clone(), column.as_ref(), i)),
                out,
            );
        }
        DataType::Map(..) => {
            let entries = array.as_map().value(i);
            let (keys, values) = (entries.column(0), entries.column(1));
            let members = (0..entries.len()).map(|entry| {
                let mut name = String::new();
                append(keys.as_ref(), entry, &mut name);
                // A key that is not a string is named by its JSON.
                let name = serde_json::from_str(&name).unwrap_or(name);
                (name, values.as_ref(), entry)
            });
            object(members, out);
        }
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            append(dictionary.values().as_ref(), key(dictionary.keys(), i), out);
        }
        // `is_supported` refuses other types when the file is opened.
        _ => out.push_str("null"),
    }
}

fn append_json(value: &(impl serde::Serialize + ?Sized), out: &mut String) {
    // Conversion cannot fail; numbers that are not finite become null.
    out.push_str(&serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned()));
}

fn number<T: ArrowPrimitiveType<Native: std::fmt::Display>>(
    array: &dyn Array,
    i: usize,
    out: &mut String,
) {
    let _ = write!(out, "{}", array.as_primitive::<T>().value(i));
}

/// A whole number and the position of its decimal point, as a JSON number.
fn decimal<T: DecimalType>(array: &dyn Array, i: usize, scale: i8, out: &mut String)
where
    T::Native: std::fmt::Display,
{
    let value = array.as_primitive::<T>().value(i);
    let digits = value.to_string();
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("-", digits.to_owned()),
        None => ("", digits),
    };
    out.push_str(sign);
    if scale <= 0 {
        out.push_str(&digits);
        if !value.is_zero() {
            out.extend(std::iter::repeat_n('0', usize::from(scale.unsigned_abs())));
        }
        return;
    }
    let scale = usize::from(scale.unsigned_abs());
    let padded = format!("{digits:0>width$}", width = scale + 1);
    let (whole, fraction) = padded.split_at(padded.len() - scale);
    let _ = write!(out, "{whole}.{fraction}");
}

fn hexadecimal(bytes: &[u8], out: &mut String) {
    out.push('"');
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
    out.push('"');
}

/// A date or time; null if it is outside the supported range.
fn quoted(value: Option<impl std::fmt::Debug>, out: &mut String) {
    match value {
        Some(value) => {
            let _ = write!(out, "\"{value:?}\"");
        }
        None => out.push_str("null"),
    }
}

fn datetime<T: ArrowPrimitiveType<Native = i64>>(
    array: &dyn Array,
    i: usize,
) -> Option<NaiveDateTime> {
    as_datetime::<T>(array.as_primitive::<T>().value(i))
}

/// A timestamp as RFC 3339, in its time zone if that is an offset such as `+02:00`, otherwise in
/// UTC.
fn in_zone(time: NaiveDateTime, zone: &str) -> String {
    let format = SecondsFormat::AutoSi;
    match zone.parse::<FixedOffset>() {
        Ok(offset) => {
            let moment: DateTime<FixedOffset> = DateTime::from_naive_utc_and_offset(time, offset);
            moment.to_rfc3339_opts(format, true)
        }
        Err(_) => {
            DateTime::<Utc>::from_naive_utc_and_offset(time, Utc).to_rfc3339_opts(format, true)
        }
    }
}

fn list(items: &dyn Array, out: &mut String) {
    out.push('[');
    for i in 0..items.len() {
        if i > 0 {
            out.push(',');
        }
        append(items, i, out);
    }
    out.push(']');
}

fn object<'a>(members: impl Iterator<Item = (String, &'a dyn Array, usize)>, out: &mut String) {
    out.push('{');
    for (number, (name, array, i)) in members.enumerate() {
        if number > 0 {
            out.push(',');
        }
        append_json(&name, out);
        out.push(':');
        append(array, i, out);
    }
    out.push('}');
}

/// The index of a dictionary value.
fn key(keys: &dyn Array, i: usize) -> usize {
    let mut digits = String::new();
    append(keys, i, &mut digits);
    digits.parse().unwrap_or(0)
}
