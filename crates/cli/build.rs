//! How the binary is linked.

fn main() {
    // A position-independent executable of this size is relocated on every start, which takes longer than the
    // call itself (about 1.8 ms against 1.1 ms). The price: the executable's own code is not at a random address;
    // libraries, heap and stack still are.
    println!("cargo::rustc-link-arg-bins=-no-pie");
    println!("cargo::rerun-if-changed=build.rs");
}
