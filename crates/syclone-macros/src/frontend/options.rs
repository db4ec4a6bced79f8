//! The arguments of `#[kernel(…)]`.

use proc_macro2::{Ident, TokenStream};
use syclone_kernel_ast::tree::FunctionKind;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, Expr, Result, Token};

/// What `#[kernel(…)]` was told.
#[derive(Default)]
pub struct Options {
    /// `work_group_size(16, 16)`: the only size it is launched with.
    pub work_group_size: Option<Vec<Expr>>,
    /// `sub_group_size(16)`
    pub sub_group_size: Option<Expr>,
    /// `unchecked`: no bounds checks; only on an `unsafe fn`.
    pub unchecked: bool,
    /// `fallback`: compile as a lock-step state machine even where regions would do.
    pub fallback: bool,
    /// `strict_fp`: never contract or reorder float arithmetic.
    pub strict_fp: bool,
}

const KNOWN: &str = "`work_group_size(…)`, `sub_group_size(…)`, `unchecked`, `fallback` and `strict_fp`";

impl Options {
    /// Reads the tokens between the attribute's parentheses.
    pub(super) fn parse(tokens: TokenStream) -> Result<Options> {
        let list = syn::parse::Parser::parse2(Punctuated::<OneOption, Token![,]>::parse_terminated, tokens)?;
        let mut options = Options::default();
        let mut seen: Vec<Ident> = Vec::new();
        for OneOption { name, values } in list {
            if seen.contains(&name) {
                return Err(Error::new(name.span(), format!("the option `{name}` is given twice")));
            }
            if let Some(zero) = values.iter().flatten().find(|size| is_zero(size)) {
                return Err(Error::new_spanned(zero, "a group has at least one item in each dimension"));
            }
            let text = name.to_string();
            match (text.as_str(), values) {
                ("work_group_size", Some(values)) if (1..=3).contains(&values.len()) => {
                    options.work_group_size = Some(values);
                }
                ("work_group_size", _) => {
                    return Err(Error::new(
                        name.span(),
                        "`work_group_size` takes one to three sizes, one a dimension: write `work_group_size(16, 16)`",
                    ));
                }
                ("sub_group_size", Some(mut values)) if values.len() == 1 => {
                    options.sub_group_size = values.pop();
                }
                ("sub_group_size", _) => {
                    return Err(Error::new(name.span(), "`sub_group_size` takes one size: write `sub_group_size(16)`"));
                }
                ("unchecked", None) => options.unchecked = true,
                ("fallback", None) => options.fallback = true,
                ("strict_fp", None) => options.strict_fp = true,
                ("unchecked" | "fallback" | "strict_fp", Some(_)) => {
                    return Err(Error::new(name.span(), format!("`{name}` takes no value: write just `{name}`")));
                }
                _ => {
                    return Err(Error::new(
                        name.span(),
                        format!("unknown option `{name}`: a kernel's options are {KNOWN}"),
                    ));
                }
            }
            seen.push(name);
        }
        Ok(options)
    }

    /// What is wrong with the options for a kernel of this kind, if anything.
    pub(super) fn mistake(&self, kind: FunctionKind) -> Option<String> {
        let FunctionKind::NdRange { dims } = kind else {
            let grouped = self.work_group_size.is_some().then_some("work_group_size");
            let option = grouped.or(self.sub_group_size.is_some().then_some("sub_group_size"))?;
            return Some(format!("`{option}` needs work-groups: make the kernel's first parameter `item: NdItem<…>`"));
        };
        let sizes = self.work_group_size.as_ref()?.len();
        (sizes != usize::from(dims))
            .then(|| format!("the kernel has {dims} dimension(s), but `work_group_size` gives {sizes} size(s)"))
    }
}

/// Whether a size is the literal 0.
fn is_zero(size: &Expr) -> bool {
    matches!(size, Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) if int.base10_digits() == "0")
}

/// `name`, `name = value`, `name(values)`
struct OneOption {
    name: Ident,
    values: Option<Vec<Expr>>,
}

impl Parse for OneOption {
    fn parse(input: ParseStream) -> Result<OneOption> {
        let Ok(name) = input.parse::<Ident>() else {
            return Err(input.error(format!("a kernel's options are {KNOWN}")));
        };
        let values = if input.peek(syn::token::Paren) {
            let content;
            syn::parenthesized!(content in input);
            Some(Punctuated::<Expr, Token![,]>::parse_terminated(&content)?.into_iter().collect())
        } else if input.parse::<Option<Token![=]>>()?.is_some() {
            match input.parse::<Expr>()? {
                Expr::Array(list) => Some(list.elems.into_iter().collect()),
                one => Some(vec![one]),
            }
        } else {
            None
        };
        Ok(OneOption { name, values })
    }
}
