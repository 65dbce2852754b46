//! A template means the same after it was written out.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sfmd::{Dialect, Template};

fuzz_target!(|text: &str| {
    for dialect in [Dialect::Definition, Dialect::Shell, Dialect::Output] {
        let template = Template::parse(text, dialect);
        assert_eq!(Template::parse(&template.to_string(), dialect), template);
    }
});
