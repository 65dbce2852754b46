//! What root may do inside a boundary: what it may in a container.
//!
//! Files are guarded by names and by Landlock, which say nothing of the rest that root may: to set the clock, to name the
//! machine, to load into the kernel, or to look into any process, the daemon's environment included. Nobody else has
//! privileges to shed.

use std::io;

use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, capability_is_in_bounding_set, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities,
};

/// What container runtimes leave to root: enough for package managers, servers and to become somebody else.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SETPCAP)
    .union(CapabilitySet::SETFCAP)
    .union(CapabilitySet::NET_BIND_SERVICE)
    .union(CapabilitySet::NET_RAW)
    .union(CapabilitySet::SYS_CHROOT)
    .union(CapabilitySet::MKNOD)
    .union(CapabilitySet::AUDIT_WRITE);

/// Gives up for good what is not kept, for this process and all it starts.
pub(super) fn shed() -> io::Result<()> {
    if !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    let held = capabilities(None)?;
    // Without this one nothing can be taken out of what programs may gain; whoever lacks it has not much to gain.
    if held.effective.contains(CapabilitySet::SETPCAP) {
        let all = (0..u64::BITS).map(|number| CapabilitySet::from_bits_retain(1 << number));
        // The kernel says which is the first that it does not know.
        for capability in all.take_while(|capability| capability_is_in_bounding_set(*capability).is_ok()) {
            if !KEPT.contains(capability) {
                remove_capability_from_bounding_set(capability)?;
            }
        }
    }
    clear_ambient_capability_set()?;
    set_capabilities(
        None,
        CapabilitySets {
            effective: held.effective & KEPT,
            permitted: held.permitted & KEPT,
            inheritable: held.inheritable & KEPT,
        },
    )?;
    Ok(())
}
