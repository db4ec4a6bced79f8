//! The compact text in which a macro hands its tree to the run time: one string literal a function.
//!
//! Numbers are little-endian groups of five bits, one printable character each, the sixth bit saying that more follow;
//! text is its length in bytes and then itself; a node is the number of its variant and then its fields in order.
//! Decoding checks everything that later stages rely on (indices into the tables, depth), so a damaged text is an
//! error and never a panic.

use std::fmt;

use crate::tree::*;

/// First characters of every encoded function; the digit counts incompatible changes of the format.
const MAGIC: &str = "syk1:";
const DIGITS: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+-";
/// Nested expressions deeper than this are refused: every stage recurses over the tree.
const MAX_DEPTH: u32 = 300;

/// Why a text is no encoded function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DecodeError {
    /// It does not begin with the mark of this version's format.
    Version,
    /// It ends too early.
    Truncated,
    /// More text follows the function.
    Trailing {
        /// Byte offset of the first surplus character.
        offset: usize,
    },
    /// A number, tag or text is malformed.
    Malformed {
        /// Byte offset behind the malformed item.
        offset: usize,
    },
    /// An index points behind the end of its table.
    Index {
        /// The table: `vars`, `types`, `consts`, `callees` or `spans`.
        table: &'static str,
        /// The index.
        index: u32,
    },
    /// Expressions are nested deeper than any stage accepts.
    TooDeep,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Version => write!(
                f,
                "the text is no kernel tree of this version\nbuild the kernel's crate with the same version of syclone"
            ),
            DecodeError::Truncated => write!(f, "the kernel tree's text ends too early"),
            DecodeError::Trailing { offset } => {
                write!(f, "surplus text at byte {offset} of the kernel tree")
            }
            DecodeError::Malformed { offset } => {
                write!(f, "malformed kernel tree before byte {offset}")
            }
            DecodeError::Index { table, index } => {
                write!(f, "index {index} is outside the tree's table of {table}")
            }
            DecodeError::TooDeep => {
                write!(f, "expressions are nested deeper than {MAX_DEPTH} levels\nsplit the expression with `let`")
            }
        }
    }
}

impl std::error::Error for DecodeError {}

/// The text of a function.
pub fn encode(function: &Function) -> String {
    let mut writer = Writer { text: String::from(MAGIC) };
    function.put(&mut writer);
    writer.text
}

/// The function of a text made by [`encode`].
pub fn decode(text: &str) -> Result<Function, DecodeError> {
    let body = text.strip_prefix(MAGIC).ok_or(DecodeError::Version)?;
    let mut reader = Reader { text: body, at: 0, depth: 0, highest: Highest::default() };
    let function = Function::get(&mut reader)?;
    if reader.at != body.len() {
        return Err(DecodeError::Trailing { offset: reader.at + MAGIC.len() });
    }
    let tables = [
        ("vars", reader.highest.vars, function.vars.len()),
        ("types", reader.highest.types, function.types.len()),
        ("consts", reader.highest.consts, function.consts.len()),
        ("callees", reader.highest.callees, function.callees.len()),
        ("spans", reader.highest.spans, function.spans.len()),
    ];
    for (table, highest, len) in tables {
        if let Some(index) = highest.filter(|&index| index as usize >= len) {
            return Err(DecodeError::Index { table, index });
        }
    }
    Ok(function)
}

struct Writer {
    text: String,
}

impl Writer {
    fn number(&mut self, mut value: u128) {
        loop {
            let more = value >= 32;
            let digit = (value & 31) as usize | if more { 32 } else { 0 };
            self.text.push(DIGITS[digit] as char);
            if !more {
                return;
            }
            value >>= 5;
        }
    }
}

/// The highest index seen for each table, checked once the tables are known.
#[derive(Default)]
struct Highest {
    vars: Option<u32>,
    types: Option<u32>,
    consts: Option<u32>,
    callees: Option<u32>,
    spans: Option<u32>,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
    highest: Highest,
}

impl Reader<'_> {
    fn enter(&mut self) -> Result<(), DecodeError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(DecodeError::TooDeep) } else { Ok(()) }
    }

    fn malformed(&self) -> DecodeError {
        DecodeError::Malformed { offset: self.at + MAGIC.len() }
    }

    fn number(&mut self) -> Result<u128, DecodeError> {
        let mut value = 0u128;
        let mut shift = 0u32;
        loop {
            let byte = *self.text.as_bytes().get(self.at).ok_or(DecodeError::Truncated)?;
            let digit = digit_value(byte).ok_or_else(|| self.malformed())?;
            self.at += 1;
            let bits = u128::from(digit & 31);
            if shift >= 128 || (bits << shift) >> shift != bits {
                return Err(self.malformed());
            }
            value |= bits << shift;
            if digit & 32 == 0 {
                return Ok(value);
            }
            shift += 5;
        }
    }

    fn small<T: TryFrom<u128>>(&mut self) -> Result<T, DecodeError> {
        let value = self.number()?;
        T::try_from(value).map_err(|_| self.malformed())
    }
}

fn digit_value(byte: u8) -> Option<u8> {
    Some(match byte {
        b'0'..=b'9' => byte - b'0',
        b'A'..=b'Z' => byte - b'A' + 10,
        b'a'..=b'z' => byte - b'a' + 36,
        b'+' => 62,
        b'-' => 63,
        _ => return None,
    })
}

/// Something with a place in the text.
trait Wire: Sized {
    fn put(&self, writer: &mut Writer);
    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError>;
}

impl Wire for u32 {
    fn put(&self, writer: &mut Writer) {
        writer.number(u128::from(*self));
    }
    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.small()
    }
}

impl Wire for u8 {
    fn put(&self, writer: &mut Writer) {
        writer.number(u128::from(*self));
    }
    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.small()
    }
}

impl Wire for i128 {
    fn put(&self, writer: &mut Writer) {
        // Zigzag: small magnitudes of either sign stay short.
        writer.number(((*self << 1) ^ (*self >> 127)) as u128);
    }
    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let value = reader.number()?;
        Ok((value >> 1) as i128 ^ -((value & 1) as i128))
    }
}

impl Wire for bool {
    fn put(&self, writer: &mut Writer) {
        writer.number(u128::from(*self));
    }
    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.number()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(reader.malformed()),
        }
    }
}

impl Wire for String {
    fn put(&self, writer: &mut Writer) {
        writer.number(self.len() as u128);
        writer.text.push_str(self);
    }
    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let len: usize = reader.small()?;
        let end = reader.at.checked_add(len).filter(|&end| end <= reader.text.len()).ok_or(DecodeError::Truncated)?;
        let text = reader.text.get(reader.at..end).ok_or_else(|| reader.malformed())?;
        reader.at = end;
        Ok(text.to_owned())
    }
}

impl<T: Wire> Wire for Box<T> {
    fn put(&self, writer: &mut Writer) {
        (**self).put(writer);
    }
    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Box::new(T::get(reader)?))
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, writer: &mut Writer) {
        self.is_some().put(writer);
        if let Some(value) = self {
            value.put(writer);
        }
    }
    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(if bool::get(reader)? { Some(T::get(reader)?) } else { None })
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, writer: &mut Writer) {
        writer.number(self.len() as u128);
        for value in self {
            value.put(writer);
        }
    }
    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let len: usize = reader.small()?;
        // The length is not trusted with memory: a damaged one runs into the end of the text instead.
        let mut values = Vec::new();
        for _ in 0..len {
            values.push(T::get(reader)?);
        }
        Ok(values)
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put(&self, writer: &mut Writer) {
        self.0.put(writer);
        self.1.put(writer);
    }
    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok((A::get(reader)?, B::get(reader)?))
    }
}

macro_rules! index {
    ($($name:ident in $table:ident),*) => { $(impl Wire for $name {
        fn put(&self, writer: &mut Writer) {
            self.0.put(writer);
        }
        fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
            let index = u32::get(reader)?;
            reader.highest.$table = reader.highest.$table.max(Some(index));
            Ok($name(index))
        }
    })* };
}
index!(VarId in vars, TypeId in types, ConstId in consts, CalleeId in callees, SpanId in spans);

macro_rules! record {
    ($name:ident { $($field:ident),* }) => { impl Wire for $name {
        fn put(&self, writer: &mut Writer) {
            $(self.$field.put(writer);)*
        }
        fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
            Ok($name { $($field: Wire::get(reader)?),* })
        }
    } };
}
record!(Span { line, column });
record!(Function { name, file, kind, params, ret, vars, body, types, consts, callees, spans });
record!(Param { var, ty, role });
record!(Variable { name, mutable, span });
record!(Block { stmts, tail });
record!(Expr { kind, span });
record!(Arm { pattern, guard, body });
record!(ForRange { start, end, inclusive, adaptors });

impl Wire for BinaryOp {
    fn put(&self, writer: &mut Writer) {
        writer.number(*self as u128);
    }
    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let code: usize = reader.small()?;
        BinaryOp::ALL.get(code).copied().ok_or_else(|| reader.malformed())
    }
}

/// An enum by its variants' numbers; tuple variants name their fields `0`, `1`, …
macro_rules! variants {
    ($name:ident { $($tag:literal $variant:ident { $($field:tt: $bind:ident),* }),* $(,)? }) => { impl Wire for $name {
        fn put(&self, writer: &mut Writer) {
            match self {
                $($name::$variant { $($field: $bind),* } => {
                    writer.number($tag);
                    $($bind.put(writer);)*
                })*
            }
        }
        fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
            reader.enter()?;
            // One function for each variant: the locals of all together would make a frame of kilobytes, and this recurses.
            let read: fn(&mut Reader<'_>) -> Result<Self, DecodeError> = match reader.number()? {
                $($tag => |_reader| {
                    $(let $bind = Wire::get(_reader)?;)*
                    Ok($name::$variant { $($field: $bind),* })
                },)*
                _ => return Err(reader.malformed()),
            };
            let value = read(reader)?;
            reader.depth -= 1;
            Ok(value)
        }
    } };
}
variants!(FunctionKind { 0 Range { dims: dims }, 1 NdRange { dims: dims }, 2 SingleTask {}, 3 Device {}, 4 Collective {} });
variants!(ParamRole {
    0 Item {}, 1 NdItem {}, 2 NdItemRef {}, 3 Group {}, 4 SubGroup {}, 5 View {}, 6 ItemMut {}, 7 GroupMut {}, 8 ScatterMut {},
    9 AtomicView {}, 10 Local {}, 11 LocalAccessor {}, 12 Reducer {}, 13 Spec {}, 14 Value {}, 15 Reference { mutable: mutable },
});
variants!(Stmt { 0 Let { pattern: pattern, ty: ty, init: init, span: span }, 1 Expr { 0: expr } });
variants!(Pattern {
    0 Wild { 0: span }, 1 Bind { var: var, sub: sub }, 2 Tuple { 0: parts, 1: span }, 3 Lit { 0: lit, 1: span }, 4 Const { 0: id, 1: span },
    5 Range { lo: lo, hi: hi, inclusive: inclusive, span: span }, 6 Or { 0: parts, 1: span },
});
variants!(Lit { 0 Int { 0: value, 1: suffix }, 1 Float { 0: digits, 1: suffix }, 2 Bool { 0: value } });
variants!(MessageKind { 0 Print {}, 1 Assert {} });
variants!(UnaryOp { 0 Neg {}, 1 Not {} });
variants!(RangeAdaptor { 0 Rev {}, 1 StepBy { 0: step } });
variants!(ExprKind {
    0 Lit { 0: lit }, 1 Var { 0: var }, 2 Const { 0: id }, 3 Unary { 0: op, 1: value }, 4 Binary { 0: op, 1: left, 2: right },
    5 Assign { 0: place, 1: value }, 6 AssignOp { 0: op, 1: place, 2: value }, 7 Cast { 0: value, 1: ty }, 8 Index { 0: base, 1: index },
    9 Field { 0: base, 1: name }, 10 TupleField { 0: base, 1: position }, 11 Tuple { 0: parts }, 12 Array { 0: parts },
    13 Repeat { 0: value, 1: count }, 14 Struct { 0: ty, 1: fields }, 15 TupleStruct { 0: ty, 1: parts }, 16 Call { 0: callee, 1: args },
    17 Builtin { 0: name, 1: types, 2: args },
    18 Method { receiver: receiver, name: name, types: types, consts: consts, args: args },
    19 Ref { 0: mutable, 1: value }, 20 Deref { 0: value }, 21 If { 0: condition, 1: then, 2: otherwise }, 22 Match { 0: value, 1: arms },
    23 Block { 0: label, 1: block }, 24 Loop { 0: label, 1: body }, 25 While { 0: label, 1: condition, 2: body },
    26 For { label: label, pattern: pattern, range: range, body: body }, 27 Break { 0: label, 1: value }, 28 Continue { 0: label },
    29 Return { 0: value }, 30 Message { 0: kind, 1: template, 2: operands },
});
