//! The tree of one function, as the macro builds it and every later stage reads it.
//!
//! A [`Function`] is the body of one `#[kernel]` or `#[device_fn]` after parsing: names are resolved to
//! [`VarId`]s, and everything that only the compiler can know (a type, the value of a constant, which function a
//! path means) is an index into one of the tables [`Function::types`], [`Function::consts`] and
//! [`Function::callees`]. The tables here hold display text; the values behind them are bound when the macro's
//! output runs (see [`crate::bound`]).
//!
//! The tree has the semantics of the Rust it was parsed from: operands are evaluated left to right, an assignment
//! evaluates its right side first and then its place, integer arithmetic wraps in release builds. What Rust does
//! not say, this page does: a *place* is a variable followed by fields, tuple positions and indices; reading an
//! index outside its array or view gives zero and writing there is dropped, and both are reported.

/// Index into [`Function::vars`]. Parameters come first, in order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct VarId(pub u32);
/// Index into [`Function::types`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TypeId(pub u32);
/// Index into [`Function::consts`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ConstId(pub u32);
/// Index into [`Function::callees`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CalleeId(pub u32);
/// Index into [`Function::spans`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SpanId(pub u32);

/// A place in the source: one-based line, zero-based column.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    /// One-based line in [`Function::file`].
    pub line: u32,
    /// Zero-based column.
    pub column: u32,
}

/// What a function is to the launcher.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FunctionKind {
    /// A kernel over a plain range: its first parameter is an `Item<dims>`.
    Range {
        /// Number of dimensions, 1 to 3.
        dims: u8,
    },
    /// A kernel over an nd-range: its first parameter is an `NdItem<dims>`.
    NdRange {
        /// Number of dimensions, 1 to 3.
        dims: u8,
    },
    /// A kernel that runs once and takes no item.
    SingleTask,
    /// A device function that works for one item and cannot synchronise.
    Device,
    /// A device function that takes the `NdItem` by value, and so may synchronise: every item of the group calls it.
    Collective,
}

impl FunctionKind {
    /// The dimensions of a kernel's items; 0 of what takes none.
    pub fn dims(self) -> u8 {
        match self {
            FunctionKind::Range { dims } | FunctionKind::NdRange { dims } => dims,
            FunctionKind::SingleTask | FunctionKind::Device | FunctionKind::Collective => 0,
        }
    }
}

/// One kernel or device function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// The function's name as written.
    pub name: String,
    /// Source file of the definition.
    pub file: String,
    /// What the launcher makes of it.
    pub kind: FunctionKind,
    /// Parameters in order; the item is one of them where there is one.
    pub params: Vec<Param>,
    /// Declared return type, `None` for `()`.
    pub ret: Option<TypeId>,
    /// Every variable: the parameters first, then locals in order of declaration.
    pub vars: Vec<Variable>,
    /// The body.
    pub body: Block,
    /// Display text of each type that the body names, such as `[f32; B]`; `_` for an inferred one.
    pub types: Vec<String>,
    /// Display text of each constant path, such as `B` or `f32::MAX`.
    pub consts: Vec<String>,
    /// Display text of each called function, such as `helper::<B>` or `A::apply`.
    pub callees: Vec<String>,
    /// Source places.
    pub spans: Vec<Span>,
}

/// One parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// The variable that holds it.
    pub var: VarId,
    /// Its type.
    pub ty: TypeId,
    /// What kind of thing it is, by its type's name (checked by rustc against the real type).
    pub role: ParamRole,
}

/// What a parameter is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamRole {
    /// `Item<D>`, by value or by reference.
    Item,
    /// `NdItem<D>`, by value.
    NdItem,
    /// `&NdItem<D>`: ids only.
    NdItemRef,
    /// `Group<D>`.
    Group,
    /// `SubGroup`.
    SubGroup,
    /// `View<T, D>`: read-only global memory, any index.
    View,
    /// `ItemMut<T, D>`: each item's own element.
    ItemMut,
    /// `GroupMut<T, D>`: each group's own element.
    GroupMut,
    /// `ScatterMut<T, D>`: any index; unsafe launch.
    ScatterMut,
    /// `AtomicView<T, D>`: atomic access at any index.
    AtomicView,
    /// `Local<T>` handed to a device function.
    Local,
    /// `LocalAccessor<T, D>`: local memory sized at launch.
    LocalAccessor,
    /// `Reducer<T, Op>`.
    Reducer,
    /// `Spec<T>`: a specialised argument.
    Spec,
    /// Any other type: a plain value, the same for all items of a kernel.
    Value,
    /// `&T` or `&mut T` of a plain value (device functions only).
    Reference {
        /// Whether it is `&mut`.
        mutable: bool,
    },
}

impl ParamRole {
    /// Whether it is a handle that a launch makes of memory, a reducer included.
    pub fn is_handle(self) -> bool {
        use ParamRole::*;
        matches!(self, View | ItemMut | GroupMut | ScatterMut | AtomicView | LocalAccessor | Reducer)
    }
}

/// One variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// The name as written.
    pub name: String,
    /// Whether declared `mut`.
    pub mutable: bool,
    /// Where it is declared.
    pub span: SpanId,
}

/// Statements and an optional value.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Block {
    /// Statements in order.
    pub stmts: Vec<Stmt>,
    /// The value of the block: a last expression without a semicolon.
    pub tail: Option<Box<Expr>>,
}

/// One statement.
#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    /// `let pattern: ty = init;`
    Let {
        /// What is bound: `Pattern::Bind`, `Pattern::Wild` or `Pattern::Tuple` of such.
        pattern: Pattern,
        /// The declared type.
        ty: Option<TypeId>,
        /// The value.
        init: Expr,
        /// Place of the `let`.
        span: SpanId,
    },
    /// An expression evaluated for its effect.
    Expr(Expr),
}

/// A pattern of a `let`, a `for` or a `match` arm.
#[derive(Clone, PartialEq, Debug)]
pub enum Pattern {
    /// `_`
    Wild(SpanId),
    /// `x`, or `x @ pattern`.
    Bind {
        /// The variable.
        var: VarId,
        /// The pattern after `@`.
        sub: Option<Box<Pattern>>,
    },
    /// `(a, b)`
    Tuple(Vec<Pattern>, SpanId),
    /// A literal, negative ones included.
    Lit(Lit, SpanId),
    /// A constant or an enum variant without data.
    Const(ConstId, SpanId),
    /// `lo..=hi` or `lo..hi`; a missing end is open.
    Range {
        /// Lower end: `Pattern::Lit` or `Pattern::Const`.
        lo: Option<Box<Pattern>>,
        /// Upper end.
        hi: Option<Box<Pattern>>,
        /// Whether the upper end is included.
        inclusive: bool,
        /// Place of the operator.
        span: SpanId,
    },
    /// `a | b`
    Or(Vec<Pattern>, SpanId),
}

/// A literal.
#[derive(Clone, PartialEq, Debug)]
pub enum Lit {
    /// An integer, with its suffix (`""` when there is none). A negative one only in patterns.
    Int(i128, String),
    /// A float: its digits as written without suffix and underscores, and its suffix.
    Float(String, String),
    /// `true` or `false`.
    Bool(bool),
}

/// One expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its most telling token: the operator, the method's name, the variable.
    pub span: SpanId,
}

/// The expressions.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// A literal.
    Lit(Lit),
    /// A local variable or parameter.
    Var(VarId),
    /// A constant, a const generic or an enum variant without data.
    Const(ConstId),
    /// `-x` or `!x`
    Unary(UnaryOp, Box<Expr>),
    /// `a + b` and the like, comparisons and `&&`, `||` (which evaluate the right side only if needed).
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `place = value`
    Assign(Box<Expr>, Box<Expr>),
    /// `place op= value`; never a comparison or a logical operator.
    AssignOp(BinaryOp, Box<Expr>, Box<Expr>),
    /// `x as T`
    Cast(Box<Expr>, TypeId),
    /// `base[index]`; the index of a view may be an integer, an array literal `[i, j]` or an item or group.
    Index(Box<Expr>, Box<Expr>),
    /// `base.name`
    Field(Box<Expr>, String),
    /// `base.0`
    TupleField(Box<Expr>, u32),
    /// `(a, b)`; `()` is the empty one.
    Tuple(Vec<Expr>),
    /// `[a, b]`
    Array(Vec<Expr>),
    /// `[value; count]`; the count is a literal or a constant.
    Repeat(Box<Expr>, Box<Expr>),
    /// `T { a: x, b: y }`, all fields given.
    Struct(TypeId, Vec<(String, Expr)>),
    /// A tuple struct's constructor `T(a, b)`.
    TupleStruct(TypeId, Vec<Expr>),
    /// A call of a device function by path.
    Call(CalleeId, Vec<Expr>),
    /// A call of a function that every device has: `local::<T>()`, `f32::max(a, b)`, `min(a, b)`, `fence(…)`.
    /// The type is the turbofish's or the primitive's in the path.
    Builtin(String, Vec<TypeId>, Vec<Expr>),
    /// `receiver.name::<types>(args)`: a built-in method, or one of a device struct; the receiver's type tells.
    Method {
        /// The value or place that it is called on.
        receiver: Box<Expr>,
        /// The method's name.
        name: String,
        /// Types in its turbofish.
        types: Vec<TypeId>,
        /// Const arguments in its turbofish, after the types.
        consts: Vec<ConstId>,
        /// The arguments.
        args: Vec<Expr>,
    },
    /// `&x`, `&mut x`: only as an argument.
    Ref(bool, Box<Expr>),
    /// `*x`
    Deref(Box<Expr>),
    /// `if c { … } else { … }`; an `else if` is a block whose tail is the next `if`.
    If(Box<Expr>, Block, Option<Block>),
    /// `match x { … }`
    Match(Box<Expr>, Vec<Arm>),
    /// `{ … }`, labelled or not.
    Block(Option<String>, Block),
    /// `loop { … }`
    Loop(Option<String>, Block),
    /// `while c { … }`
    While(Option<String>, Box<Expr>, Block),
    /// `for pattern in range { … }`
    For {
        /// The label without its quote.
        label: Option<String>,
        /// `Pattern::Bind` or `Pattern::Wild`.
        pattern: Pattern,
        /// What it runs over.
        range: ForRange,
        /// The body.
        body: Block,
    },
    /// `break 'label value`
    Break(Option<String>, Option<Box<Expr>>),
    /// `continue 'label`
    Continue(Option<String>),
    /// `return value`
    Return(Option<Box<Expr>>),
    /// `kprint!` and `kassert!`: a text for the host, made of a template whose arguments have numbers
    /// ([`message`](crate::message)) and of their values. The first operand of [`MessageKind::Assert`] is the condition;
    /// the others, which are the template's arguments, are evaluated only where it is false.
    Message(MessageKind, String, Vec<Expr>),
}

/// What becomes of a text for the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessageKind {
    /// It is printed.
    Print,
    /// Where the condition is false, it ends the command as an error.
    Assert,
}

/// An arm of a `match`.
#[derive(Clone, PartialEq, Debug)]
pub struct Arm {
    /// What it takes.
    pub pattern: Pattern,
    /// The condition after `if`.
    pub guard: Option<Expr>,
    /// Its value.
    pub body: Expr,
}

/// What a `for` runs over: `(start..end).rev().step_by(step)`, in the order in which the adaptors were written.
#[derive(Clone, PartialEq, Debug)]
pub struct ForRange {
    /// First value.
    pub start: Box<Expr>,
    /// End.
    pub end: Box<Expr>,
    /// `..=`
    pub inclusive: bool,
    /// The adaptors in order.
    pub adaptors: Vec<RangeAdaptor>,
}

/// An adaptor of a `for` range.
#[derive(Clone, PartialEq, Debug)]
pub enum RangeAdaptor {
    /// `.rev()`
    Rev,
    /// `.step_by(n)`
    StepBy(Box<Expr>),
}

/// Unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `!`
    Not,
}

/// Binary operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
}

impl BinaryOp {
    /// All operators, in the order of their codes.
    pub const ALL: [BinaryOp; 18] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Rem,
        BinaryOp::BitAnd,
        BinaryOp::BitOr,
        BinaryOp::BitXor,
        BinaryOp::Shl,
        BinaryOp::Shr,
        BinaryOp::Eq,
        BinaryOp::Ne,
        BinaryOp::Lt,
        BinaryOp::Le,
        BinaryOp::Gt,
        BinaryOp::Ge,
        BinaryOp::And,
        BinaryOp::Or,
    ];

    /// The operator as Rust writes it.
    pub fn symbol(self) -> &'static str {
        ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||"]
            [self as usize]
    }
}
