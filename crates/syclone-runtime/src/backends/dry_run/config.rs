//! Devices described in a file: TOML, with a `[[device]]` table for each. The keys are the names of
//! [`crate::DeviceInfo`]'s fields.

use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::machine::Problem;
use super::{DryRunOptions, Fault, FaultKind};
use crate::{Aspect, Error, Result};

/// A value with its place in the text.
type Value<'a> = toml::Spanned<DeValue<'a>>;

/// The most devices that `count` makes of one table.
const MOST_DEVICES: usize = 64;

/// Where in the text something was wrong, and what.
type Wrong = (usize, String);

/// The devices that a file describes.
pub(super) fn read(path: &Path) -> Result<Vec<DryRunOptions>> {
    let wrong = |place, problem| Error::InvalidDryRun { place, problem };
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| wrong(name.to_string(), error.to_string()))?;
    parse(&text).map_err(|(offset, problem)| {
        let before = text.get(..offset).unwrap_or(&text);
        let line = 1 + before.bytes().filter(|&byte| byte == b'\n').count();
        wrong(format!("{name}, line {line}"), problem)
    })
}

/// The devices of a text.
pub(super) fn parse(text: &str) -> Result<Vec<DryRunOptions>, Wrong> {
    let document = DeTable::parse(text)
        .map_err(|error| (error.span().map_or(0, |span| span.start), error.message().to_owned()))?;
    let mut devices = Vec::new();
    for (key, value) in document.get_ref() {
        if key.get_ref() != "device" {
            return Err((key.span().start, format!("'{}' is not known: devices are [[device]] tables", key.get_ref())));
        }
        if value.get_ref().is_table() {
            return Err(problem(
                value,
                "a device is a [[device]] table, in two brackets: there may be several".to_owned(),
            ));
        }
        for table in array(value)? {
            devices.extend(device(table)?);
        }
    }
    Ok(devices)
}

/// The device of one table, as often as it says.
fn device(value: &Value<'_>) -> Result<Vec<DryRunOptions>, Wrong> {
    let mut options = DryRunOptions::new("dry run");
    let mut count = 1;
    let (mut largest, mut sub_group) = (None, None);
    let keys = table(value)?;
    for (key, value) in keys {
        match key.get_ref().as_ref() {
            "name" => options.name = text(value)?.to_owned(),
            "count" => count = device_count(value)?,
            // A seed is any 64 bits; sizes are numbers that the machine can count to.
            "seed" => options.seed = number(value)? as u64,
            "compute_units" => options.compute_units = number(value)?,
            "max_work_group_size" => options.max_work_group_size = number(value)?,
            "max_work_item_sizes" => {
                options.max_work_item_sizes = numbers(value)?
                    .try_into()
                    .map_err(|_| problem(value, "the sizes of 3 dimensions are needed".to_owned()))?;
            }
            "local_memory_bytes" => options.local_memory_bytes = number(value)?,
            "global_memory_bytes" => options.global_memory_bytes = number(value)?,
            "max_allocation" => largest = Some(number(value)?),
            "sub_group_sizes" => {
                let default = options.default_sub_group_size;
                options = options.sub_groups(numbers(value)?, default);
            }
            "default_sub_group_size" => sub_group = Some(number(value)?),
            "aspects" => {
                let aspects: Result<Vec<Aspect>, Wrong> = array(value)?.iter().map(aspect).collect();
                options = options.aspects(aspects?);
            }
            "run_kernels" => options.run_kernels = boolean(value)?,
            "faults" => options.faults = array(value)?.iter().map(fault).collect::<Result<_, Wrong>>()?,
            other => return Err((key.span().start, format!("a device has no '{other}'"))),
        }
    }
    options.max_allocation = largest.unwrap_or(options.global_memory_bytes);
    let sizes = &options.sub_group_sizes;
    options.default_sub_group_size = sub_group.unwrap_or_else(|| {
        let usual = options.default_sub_group_size;
        if sizes.contains(&usual) { usual } else { sizes.last().copied().unwrap_or(usual) }
    });
    if let Some(Problem { options, text }) = options.problem() {
        let to_blame = options.iter().find_map(|&option| keys.get(option)).unwrap_or(value);
        return Err(problem(to_blame, text));
    }
    // Devices of one table differ in the order and the faults that their seeds give.
    let numbered = (0..count).map(|index| options.clone().seed(options.seed.wrapping_add(index as u64)));
    Ok(numbered.collect())
}

fn device_count(value: &Value<'_>) -> Result<usize, Wrong> {
    match number(value)? {
        count if count > MOST_DEVICES => Err(problem(value, format!("{count} devices are more than {MOST_DEVICES}"))),
        count => Ok(count),
    }
}

fn aspect(value: &Value<'_>) -> Result<Aspect, Wrong> {
    let name = text(value)?;
    Aspect::ALL.iter().copied().find(|aspect| aspect.name() == name).ok_or_else(|| {
        let known: Vec<&str> = Aspect::ALL.iter().map(|aspect| aspect.name()).collect();
        problem(value, format!("there is no aspect '{name}', only {}", known.join(", ")))
    })
}

fn fault(value: &Value<'_>) -> Result<Fault, Wrong> {
    let (mut kind, mut at, mut probability) = (None, None, None);
    for (key, value) in table(value)? {
        match key.get_ref().as_ref() {
            "kind" => kind = Some(fault_kind(value)?),
            "at" => at = Some((number(value)? as u64, value)),
            "probability" => probability = Some((float(value)?, value)),
            other => return Err((key.span().start, format!("a fault has no '{other}'"))),
        }
    }
    let (fault, when) = match (kind, at, probability) {
        (Some(kind), Some((at, when)), None) => (Fault::at(kind, at), when),
        (Some(kind), None, Some((probability, when))) => (Fault::with_probability(kind, probability), when),
        _ => return Err(problem(value, "a fault has a kind, and either at or probability".to_owned())),
    };
    fault.problem().map_or(Ok(fault), |text| Err(problem(when, text)))
}

fn fault_kind(value: &Value<'_>) -> Result<FaultKind, Wrong> {
    let name = text(value)?;
    FaultKind::ALL.iter().copied().find(|kind| kind.name() == name).ok_or_else(|| {
        let known: Vec<&str> = FaultKind::ALL.iter().map(|kind| kind.name()).collect();
        problem(value, format!("there is no fault '{name}', only {}", known.join(", ")))
    })
}

fn problem(value: &Value<'_>, problem: String) -> Wrong {
    (value.span().start, problem)
}

fn unexpected(value: &Value<'_>, expected: &str) -> Wrong {
    problem(value, format!("{expected} is needed, not a value of the type {}", value.get_ref().type_str()))
}

fn table<'a, 'i>(value: &'a Value<'i>) -> Result<&'a DeTable<'i>, Wrong> {
    value.get_ref().as_table().ok_or_else(|| unexpected(value, "a table"))
}

fn array<'a, 'i>(value: &'a Value<'i>) -> Result<&'a [Value<'i>], Wrong> {
    value.get_ref().as_array().map(|array| &**array).ok_or_else(|| unexpected(value, "an array"))
}

fn text<'a>(value: &'a Value<'_>) -> Result<&'a str, Wrong> {
    value.get_ref().as_str().ok_or_else(|| unexpected(value, "a string"))
}

fn boolean(value: &Value<'_>) -> Result<bool, Wrong> {
    value.get_ref().as_bool().ok_or_else(|| unexpected(value, "true or false"))
}

fn number(value: &Value<'_>) -> Result<usize, Wrong> {
    let integer = value.get_ref().as_integer().ok_or_else(|| unexpected(value, "a whole number"))?;
    usize::from_str_radix(integer.as_str(), integer.radix())
        .map_err(|_| problem(value, format!("{integer} is not a whole number from 0 to {}", usize::MAX)))
}

fn numbers(value: &Value<'_>) -> Result<Vec<usize>, Wrong> {
    array(value)?.iter().map(number).collect()
}

fn float(value: &Value<'_>) -> Result<f64, Wrong> {
    let digits = match value.get_ref() {
        DeValue::Float(float) => float.as_str(),
        DeValue::Integer(integer) => integer.as_str(),
        _ => return Err(unexpected(value, "a number")),
    };
    digits.parse().map_err(|_| problem(value, format!("{digits} is no number")))
}

#[cfg(test)]
mod tests;
