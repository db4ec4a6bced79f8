//! The report as one self-contained page: no script, no font and no picture from anywhere else.

mod bars;
mod page;
mod roofline;
mod svg;
#[cfg(test)]
mod tests;

pub use page::render;
