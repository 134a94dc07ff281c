//! Puts `Info.plist` into the program on a Mac: without the reason in it, macOS denies Contacts without asking.

fn main() {
    println!("cargo::rerun-if-changed=manifests/Info.plist");
    let is_mac = std::env::var_os("CARGO_CFG_TARGET_OS").is_some_and(|os| os == "macos");
    if let Some(root) = std::env::var_os("CARGO_MANIFEST_DIR").filter(|_| is_mac) {
        let file = std::path::Path::new(&root).join("manifests/Info.plist");
        let file = file.display();
        println!("cargo::rustc-link-arg-bins=-Wl,-sectcreate,__TEXT,__info_plist,{file}");
    }
}
