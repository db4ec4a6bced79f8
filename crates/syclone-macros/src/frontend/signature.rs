//! Signatures: what kind of function it is, and what each parameter is for.

use super::ParamTokens;
use super::lower::{Body, GenericNames, Lowerer};
use super::types::{elements, last_segment, strip, type_arguments};
use syclone_kernel_ast::tree::*;

use syn::{FnArg, GenericArgument, GenericParam, Generics, Pat, PathArguments, Signature, Type, TypeParamBound};

/// How many arguments a launch can pass.
pub const MAX_PARAMS: usize = 16;

/// The role that a parameter's type gives it, by name.
pub fn role_by_name(ty: &Type) -> ParamRole {
    let Some(segment) = last_segment(ty) else {
        return ParamRole::Value;
    };
    match segment.ident.to_string().as_str() {
        "Item" => ParamRole::Item,
        "NdItem" => ParamRole::NdItem,
        "Group" => ParamRole::Group,
        "SubGroup" => ParamRole::SubGroup,
        "View" => ParamRole::View,
        "ItemMut" => ParamRole::ItemMut,
        "GroupMut" => ParamRole::GroupMut,
        "ScatterMut" => ParamRole::ScatterMut,
        "AtomicView" => ParamRole::AtomicView,
        "Local" => ParamRole::Local,
        "LocalAccessor" => ParamRole::LocalAccessor,
        "Reducer" => ParamRole::Reducer,
        "Spec" => ParamRole::Spec,
        _ => ParamRole::Value,
    }
}

/// The kind of function that a signature describes; its mistakes are reported by [`Lowerer::params`].
pub fn kind(sig: &Signature, body: Body) -> FunctionKind {
    let mut types = sig.inputs.iter().filter_map(|arg| match arg {
        FnArg::Typed(typed) => Some(&*typed.ty),
        FnArg::Receiver(_) => None,
    });
    match body {
        Body::Device if types.any(|ty| role_by_name(ty) == ParamRole::NdItem) => FunctionKind::Collective,
        Body::Device => FunctionKind::Device,
        Body::Kernel => kernel_kind(types.next()),
    }
}

/// The kind of a kernel whose first parameter has this type.
pub fn kernel_kind(first: Option<&Type>) -> FunctionKind {
    let Some(ty) = first else {
        return FunctionKind::SingleTask;
    };
    // A missing or wrong number is reported with the parameter; until then any stands in for it.
    let dims = dims(ty).unwrap_or(1);
    match role_by_name(strip_reference(ty)) {
        ParamRole::Item => FunctionKind::Range { dims },
        ParamRole::NdItem => FunctionKind::NdRange { dims },
        _ => FunctionKind::SingleTask,
    }
}

/// `D` of `Item<D>`, if it is a literal from 1 to 3.
pub(super) fn dims(ty: &Type) -> Option<u8> {
    let PathArguments::AngleBracketed(list) = &last_segment(strip_reference(ty))?.arguments else {
        return None;
    };
    match list.args.first()? {
        GenericArgument::Const(syn::Expr::Lit(lit)) => match &lit.lit {
            syn::Lit::Int(int) => int.base10_parse().ok().filter(|dims| (1..=3).contains(dims)),
            _ => None,
        },
        _ => None,
    }
}

fn strip_reference(ty: &Type) -> &Type {
    match strip(ty) {
        Type::Reference(reference) => strip(&reference.elem),
        other => other,
    }
}

impl GenericNames {
    /// Adds the parameters of one list of generics.
    pub fn add(&mut self, generics: &Generics) {
        let names = |bounds: &syn::punctuated::Punctuated<TypeParamBound, syn::Token![+]>| -> Vec<String> {
            bounds
                .iter()
                .filter_map(|bound| match bound {
                    TypeParamBound::Trait(bound) => bound.path.segments.last().map(|last| last.ident.to_string()),
                    _ => None,
                })
                .collect()
        };
        for param in &generics.params {
            match param {
                GenericParam::Type(param) => {
                    self.types.entry(param.ident.to_string()).or_default().extend(names(&param.bounds));
                }
                GenericParam::Const(param) => self.consts.push(param.ident.to_string()),
                GenericParam::Lifetime(_) => {}
            }
        }
        for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
            if let syn::WherePredicate::Type(predicate) = predicate
                && let Type::Path(path) = &predicate.bounded_ty
                && let Some(ident) = path.path.get_ident()
                && let Some(bounds) = self.types.get_mut(&ident.to_string())
            {
                bounds.extend(names(&predicate.bounds));
            }
        }
    }
}

/// A tuple that a kernel's parameter holds, or the elements of its memory.
fn tuple_in_memory(role: ParamRole, ty: &Type) -> Option<&Type> {
    let held = if role == ParamRole::Value { Some(ty) } else { type_arguments(ty).next() };
    held.map(elements).filter(|ty| matches!(ty, Type::Tuple(_)))
}

/// Documentation and lint levels say nothing to a device; they are left out of what is printed.
fn is_harmless(attribute: &syn::Attribute) -> bool {
    ["doc", "allow", "warn", "expect", "deny", "forbid"].iter().any(|name| attribute.path().is_ident(name))
}

impl Lowerer {
    /// Checks what stands around the parameters.
    pub fn check_signature(&mut self, sig: &Signature, unchecked: bool) {
        let what = if self.body == Body::Kernel { "kernel" } else { "device function" };
        if let Some(token) = &sig.constness {
            self.error(token, format!("a {what} cannot be `const`: leave `const` out"));
        }
        if let Some(token) = &sig.asyncness {
            self.error(
                token,
                format!("a {what} cannot be `async`: submission does not block, and the event is awaited"),
            );
        }
        if let Some(abi) = &sig.abi {
            self.error(abi, format!("a {what} has no ABI of its own: leave `extern` out"));
        }
        if let Some(variadic) = &sig.variadic {
            self.error(variadic, format!("a {what} has a fixed number of parameters"));
        }
        match (&sig.safety, self.body) {
            (syn::Safety::Unsafe(token), Body::Device) => {
                self.error(
                    token,
                    "a device function cannot be `unsafe`: what needs it is a parameter, such as `ScatterMut`",
                );
            }
            (syn::Safety::Unsafe(token), Body::Kernel) if !unchecked => {
                self.error(
                    token,
                    "only an unchecked kernel is `unsafe`: write `#[kernel(unchecked)]`, or leave `unsafe` out",
                );
            }
            (syn::Safety::Default, Body::Kernel) if unchecked => {
                self.error(sig.fn_token, "an unchecked kernel can touch memory out of bounds: write `unsafe fn`");
            }
            _ => {}
        }
        for param in &sig.generics.params {
            if let GenericParam::Lifetime(param) = param {
                self.error(&param.lifetime, "lifetimes do not exist on a device: handles and values are copied");
            }
        }
    }

    /// The parameters, which become the first variables.
    pub fn params(&mut self, sig: &Signature, self_ty: bool) -> (Vec<Param>, Vec<ParamTokens>) {
        let (mut params, mut tokens) = (Vec::new(), Vec::new());
        for (idx, arg) in sig.inputs.iter().enumerate() {
            let mut wrong = false;
            let (ident, mutable, ty, role) = match arg {
                FnArg::Receiver(receiver) => {
                    if !self_ty {
                        self.error(receiver, "`self` has no meaning here: take the value as a parameter with a name");
                        // Its uses are part of the same mistake, so it is declared all the same.
                    }
                    let Some((ty, role)) = self.receiver(receiver) else {
                        continue;
                    };
                    let ident = proc_macro2::Ident::new("self", receiver.self_token.span);
                    (ident, receiver.mutability.is_some(), ty, role)
                }
                FnArg::Typed(typed) => {
                    if let Some(attribute) = typed.attrs.iter().find(|attribute| !is_harmless(attribute)) {
                        self.error(attribute, "this attribute on a parameter is not supported: leave it out");
                    }
                    let Some((ident, mutable)) = self.param_name(&typed.pat) else {
                        continue;
                    };
                    let same = |param: &ParamTokens| super::hygiene::is_same(&param.ident, &ident);
                    if tokens.iter().any(same) {
                        self.error(&ident, format!("two parameters are called `{ident}`: give this one another name"));
                        continue;
                    }
                    let before = self.errors.len();
                    let role = self.param_role(&typed.ty, idx);
                    // What the body does with a parameter of a wrong type is part of the same mistake.
                    wrong = self.errors.len() > before;
                    if mutable && self.body == Body::Kernel {
                        self.error(&typed.pat, format!("a kernel's parameters are the same for all items: write `let mut {ident} = {ident};` in the body"));
                    }
                    (ident, mutable, (*typed.ty).clone(), role)
                }
            };
            let ty_id = self.intern_type(&ty);
            let var = self.declare(&ident, mutable);
            self.roles.push(role);
            self.dims.push(super::dimension::dims_of(role, &ty));
            if wrong {
                self.poisoned.push(var);
            }
            params.push(Param { var, ty: ty_id, role });
            tokens.push(ParamTokens { ident, var, ty, role });
        }
        self.check_item(sig, &tokens);
        self.check_count(&tokens);
        (params, tokens)
    }

    fn receiver(&mut self, receiver: &syn::Receiver) -> Option<(Type, ParamRole)> {
        match &receiver.kind {
            syn::ReceiverKind::Value => Some((syn::parse_quote!(Self), ParamRole::Value)),
            syn::ReceiverKind::Reference(_, lifetime, mutability) => {
                if let Some(lifetime) = lifetime {
                    self.error(lifetime, "lifetimes do not exist on a device: write `&self`");
                }
                let mutable = mutability.is_some();
                Some((syn::parse_quote!(& #mutability Self), ParamRole::Reference { mutable }))
            }
            _ => {
                self.error(receiver, "a device method takes `self`, `&self` or `&mut self`");
                None
            }
        }
    }

    fn param_name(&mut self, pat: &Pat) -> Option<(proc_macro2::Ident, bool)> {
        match pat {
            Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
                Some((pat.ident.clone(), pat.mutability.is_some()))
            }
            Pat::Wild(pat) => {
                self.error(pat, "give the parameter a name, such as `_unused`");
                None
            }
            pat => {
                self.error(pat, "a parameter is a name: take it apart in the body, with `let`");
                None
            }
        }
    }

    /// Checks a parameter's type and says what it is.
    fn param_role(&mut self, ty: &Type, idx: usize) -> ParamRole {
        match strip(ty) {
            Type::Reference(reference) => self.reference_role(reference, ty),
            plain => {
                self.check_type(plain, false);
                let role = role_by_name(plain);
                self.check_role(role, plain, idx);
                role
            }
        }
    }

    fn reference_role(&mut self, reference: &syn::TypeReference, ty: &Type) -> ParamRole {
        let mutable = reference.mutability.is_some();
        let inner = role_by_name(&reference.elem);
        let plain_error = matches!(strip(&reference.elem), Type::Slice(_) | Type::TraitObject(_))
            || last_segment(&reference.elem).is_some_and(|segment| segment.ident == "str");
        if plain_error {
            match strip(&reference.elem) {
                // Its own advice is better than the one for a reference.
                Type::TraitObject(_) => self.check_type(&reference.elem, false),
                _ => self.check_type(ty, false),
            }
            return ParamRole::Value;
        }
        if self.body == Body::Kernel {
            let message = match inner {
                ParamRole::Item | ParamRole::NdItem => "a kernel takes the item by value: leave the `&` out",
                ParamRole::Value => {
                    "a kernel's parameters are copied to the device: take the value, or a `View<T>` of a buffer"
                }
                _ => "handles are copied: leave the `&` out",
            };
            self.error(reference, message);
            return inner;
        }
        if let Some(lifetime) = &reference.lifetime {
            self.error(lifetime, "lifetimes do not exist on a device: leave it out");
        }
        self.check_type(&reference.elem, false);
        match inner {
            ParamRole::Item if !mutable => ParamRole::Item,
            ParamRole::NdItem if !mutable => ParamRole::NdItemRef,
            ParamRole::Item | ParamRole::NdItem => {
                self.error(
                    reference,
                    "the item never changes: take `&NdItem<…>` to read ids, or `NdItem<…>` to synchronise",
                );
                ParamRole::NdItemRef
            }
            ParamRole::Value => ParamRole::Reference { mutable },
            handle => {
                self.error(reference, "handles are copied: leave the `&` out");
                handle
            }
        }
    }

    fn check_role(&mut self, role: ParamRole, ty: &Type, idx: usize) {
        let kernel = self.body == Body::Kernel;
        if let Some(tuple) = tuple_in_memory(role, ty).filter(|_| kernel) {
            self.error(
                tuple,
                "a tuple cannot be passed to a kernel or lie in device memory, as Rust does not say how it lies there: take a struct with `#[derive(Clone, Copy, DeviceCopy)]`",
            );
        }
        match role {
            ParamRole::Item | ParamRole::NdItem if kernel => {
                if idx > 0 {
                    self.error(ty, "a kernel has one item, its first parameter: move it to the front");
                } else if dims(ty).is_none() {
                    let name = if role == ParamRole::Item { "Item" } else { "NdItem" };
                    self.error(ty, format!("say the number of dimensions, 1 to 3: write `{name}<1>`"));
                }
            }
            ParamRole::Group | ParamRole::SubGroup if kernel => {
                self.error(
                    ty,
                    "a kernel takes the item: write `item: NdItem<…>` and call `item.group()` or `item.sub_group()`",
                );
            }
            ParamRole::Local if kernel => {
                self.error(ty, "local memory is not passed to a kernel: declare it there, `let tile = local::<[f32; 64]>();`, or take a `LocalAccessor<T>`");
            }
            ParamRole::Reducer if !kernel => {
                self.error(ty, "a reduction is the kernel's: return the value, and call `combine` with it there");
            }
            ParamRole::LocalAccessor if kernel && !matches!(self.kind, FunctionKind::NdRange { .. }) => {
                self.error(ty, "local memory needs work-groups: make the kernel's first parameter `item: NdItem<…>`");
            }
            _ => {}
        }
    }

    /// A launch takes its arguments as a tuple, for which the library has no traits beyond [`MAX_PARAMS`].
    fn check_count(&mut self, tokens: &[ParamTokens]) {
        let mut passed = tokens.iter().filter(|param| !matches!(param.role, ParamRole::Item | ParamRole::NdItem));
        if self.body == Body::Kernel
            && let Some(param) = passed.nth(MAX_PARAMS)
        {
            let count = MAX_PARAMS + 1 + passed.count();
            let message = format!(
                "a kernel has at most {MAX_PARAMS} parameters besides the item, not {count}: put values together in a struct with `#[derive(Clone, Copy, DeviceCopy)]`"
            );
            self.error(&param.ident, message);
        }
    }

    /// Which items a function has follows from its other parameters too.
    fn check_item(&mut self, sig: &Signature, tokens: &[ParamTokens]) {
        let items: Vec<_> = tokens
            .iter()
            .filter(|param| matches!(param.role, ParamRole::Item | ParamRole::NdItem | ParamRole::NdItemRef))
            .collect();
        if self.body == Body::Device {
            if let [_, second, ..] = items[..] {
                self.error(&second.ty, "a device function has one item at most: leave this one out");
            }
            return;
        }
        let owned = tokens.iter().find(|param| matches!(param.role, ParamRole::ItemMut | ParamRole::GroupMut));
        if items.is_empty()
            && let Some(owned) = owned
        {
            let message = match owned.role {
                ParamRole::ItemMut => {
                    "an `ItemMut` is indexed by the item: make `item: Item<…>` the kernel's first parameter"
                }
                _ => "a `GroupMut` is indexed by the group: make `item: NdItem<…>` the kernel's first parameter",
            };
            self.poisoned.extend(tokens.iter().map(|param| param.var));
            self.error_at(sig.ident.span(), message);
        }
        if let FunctionKind::Range { .. } = self.kind
            && let Some(group) = tokens.iter().find(|param| param.role == ParamRole::GroupMut)
        {
            self.error(&group.ty, "a range kernel has no work-groups: take `item: NdItem<…>`, or an `ItemMut`");
        }
    }

    /// The return type.
    pub fn return_type(&mut self, sig: &Signature) -> Option<Type> {
        let syn::ReturnType::Type(_, ty) = &sig.output else {
            return None;
        };
        if matches!(strip(ty), Type::Tuple(tuple) if tuple.elems.is_empty()) {
            return None;
        }
        if self.body == Body::Kernel {
            self.error(&sig.output, "a kernel returns nothing: write the value to an output, such as an `ItemMut`");
            return None;
        }
        self.check_type(ty, false);
        Some((**ty).clone())
    }
}
