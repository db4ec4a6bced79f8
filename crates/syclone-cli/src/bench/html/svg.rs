//! What both charts need: escaped text, and axes with round numbers.

/// Text that cannot be taken for markup.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            other => escaped.push(other),
        }
    }
    escaped
}

/// A text element.
pub fn text(x: f64, y: f64, class: &str, content: &str) -> String {
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\">{}</text>", escape(content))
}

/// A straight line.
pub fn line(from: (f64, f64), to: (f64, f64), class: &str) -> String {
    format!("<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" class=\"{class}\"/>", from.0, from.1, to.0, to.1)
}

/// A scale whose equal steps are equal factors.
#[derive(Debug, Clone, Copy)]
pub struct LogScale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl LogScale {
    /// Places values on `from..to`, with whole powers of ten at both ends. Values that are not positive are left out.
    pub fn covering(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| value.is_finite() && *value > 0.0) {
            low = low.min(value.log10().floor());
            high = high.max(value.log10().ceil());
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if low == high {
            high += 1.0;
        }
        LogScale { low, high, from, to }
    }

    /// Where `value` is, at the nearest end when it lies outside.
    pub fn place(self, value: f64) -> f64 {
        let share = (value.max(f64::MIN_POSITIVE).log10() - self.low) / (self.high - self.low);
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// The powers of ten, with their texts.
    pub fn ticks(self) -> Vec<(f64, String)> {
        let exponents = self.low as i32..=self.high as i32;
        exponents
            .map(|exponent| {
                let digits = usize::try_from(-exponent).unwrap_or(0);
                let value = 10f64.powi(exponent);
                (value, format!("{value:.digits$}"))
            })
            .collect()
    }

    /// The least and the largest value on it.
    pub fn ends(self) -> (f64, f64) {
        (10f64.powf(self.low), 10f64.powf(self.high))
    }
}

/// About five round numbers from zero to `highest`.
pub fn linear_ticks(highest: f64) -> Vec<f64> {
    if !(highest.is_finite() && highest > 0.0) {
        return vec![0.0];
    }
    let magnitude = 10f64.powf((highest / 5.0).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * magnitude);
    let step = steps.into_iter().find(|step| highest / step <= 6.0).unwrap_or(10.0 * magnitude);
    (0..=(highest / step).floor() as usize).map(|count| count as f64 * step).collect()
}

/// A tick's number without needless zeros.
pub fn short(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
