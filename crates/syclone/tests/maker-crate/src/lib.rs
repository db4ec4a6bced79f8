//! A procedural macro of another crate that makes kernels.

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// `shifted!(name, value)`: a kernel called `name` that writes `value` for each item. The value may use the kernel's
/// `item`, `input` and `shift`: the names that the macro makes are its caller's, as those of most procedural macros.
#[proc_macro]
pub fn shifted(tokens: TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter();
    let name = tokens.next().expect("a name");
    let value: TokenStream = tokens.skip(1).collect();
    let text = |text: &str| text.parse::<TokenStream>().expect("tokens");
    let group = |delimiter, tokens| TokenStream::from(TokenTree::Group(Group::new(delimiter, tokens)));
    let mut body = text("let shift = input[item] + 10; let sum = shift;");
    body.extend(text("out[item] = sum +"));
    body.extend(group(Delimiter::Parenthesis, value));
    body.extend(text(";"));
    let mut kernel = text("#[kernel] fn");
    kernel.extend(TokenStream::from(name));
    kernel.extend(group(Delimiter::Parenthesis, text("item: Item<1>, input: View<u32>, out: ItemMut<u32>")));
    kernel.extend(group(Delimiter::Brace, body));
    kernel
}
