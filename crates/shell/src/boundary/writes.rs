//! Landlock: writes only beneath allowed paths, for the process and all it starts.

use std::io;
use std::path::Path;

use landlock::{
    ABI, AccessFs, BitFlags, CompatLevel, Compatible as _, LandlockStatus, PathBeneath, PathFd, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetStatus,
};

use super::privileges;

/// Devices that programs write to without meaning to write a file.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/fuse",
    "/proc",
];

/// The third version covers every way to write but device ioctls and Unix
/// sockets, which later ones add and which ordinary programs need.
const HANDLED: ABI = ABI::V3;

/// The Landlock rules, ready to be applied to the process that shuts it.
pub(crate) struct Lock {
    rules: Option<RulesetCreated>,
}

impl Lock {
    /// A lock that does nothing.
    pub(crate) fn none() -> Self {
        Self { rules: None }
    }

    pub(super) fn prepare<'a>(writable: impl Iterator<Item = &'a Path>) -> io::Result<Self> {
        let all = AccessFs::from_write(HANDLED);
        let beneath = all & !(AccessFs::MakeBlock | AccessFs::MakeChar);
        let mut rules = ruleset(all)?;
        for path in writable {
            rules = add(rules, path, beneath)?;
        }
        for device in DEVICES {
            rules = add(rules, Path::new(device), AccessFs::WriteFile | AccessFs::Truncate)?;
        }
        Ok(Self { rules: Some(rules) })
    }

    /// Applies the rules to this process, once and for all.
    pub(crate) fn shut(&mut self) -> io::Result<()> {
        let Some(rules) = self.rules.take() else { return Ok(()) };
        restrict(rules)?;
        // Last: to apply the rules is itself a privilege.
        privileges::shed()
    }
}

/// The version of Landlock here. Restricts the process that asks.
pub(super) fn probe() -> io::Result<u8> {
    match restrict(ruleset(AccessFs::from_write(HANDLED))?)? {
        LandlockStatus::Available { effective_abi, .. } => Ok(effective_abi as u8),
        LandlockStatus::NotEnabled => Err(io::Error::other("switched off at boot")),
        LandlockStatus::NotImplemented => Err(io::Error::other("not built into this kernel")),
    }
}

fn restrict(rules: RulesetCreated) -> io::Result<LandlockStatus> {
    // Without the right to gain privileges a setuid program could not work;
    // the kernel asks only ordinary users to give it up.
    let rules = rules.no_new_privs(!rustix::process::geteuid().is_root());
    let status = rules.restrict_self().map_err(io::Error::other)?;
    match status.ruleset {
        RulesetStatus::NotEnforced => Err(io::ErrorKind::Unsupported.into()),
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(status.landlock),
    }
}

fn ruleset(access: BitFlags<AccessFs>) -> io::Result<RulesetCreated> {
    Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(access)
        .and_then(Ruleset::create)
        .map_err(io::Error::other)
}

/// Allows `access` beneath `path`; a path that does not exist needs no rule.
fn add(rules: RulesetCreated, path: &Path, access: BitFlags<AccessFs>) -> io::Result<RulesetCreated> {
    let Ok(handle) = PathFd::new(path) else { return Ok(rules) };
    let is_directory = path.is_dir();
    // Rights that only make sense for directories are an error on a file.
    let access = if is_directory { access } else { access & AccessFs::from_file(HANDLED) };
    rules.add_rule(PathBeneath::new(handle, access)).map_err(io::Error::other)
}
