//! What the kernel can enforce, and what is in force around each agent.

use shell::boundary::Support;

use super::Finding;
use crate::Runtime;
use crate::agent::Boundary;

pub(super) async fn check(runtime: &Runtime) -> Vec<Finding> {
    let support = match runtime.shells.support().await {
        Ok(support) => support,
        Err(error) => {
            let repair = "install bash, put it into PATH, then string --daemon stop";
            return vec![Finding::problem("shells", error.message, repair)];
        }
    };
    let mut findings = kernel(support);
    for agent in runtime.agents.list() {
        let force = runtime.shells.boundary(&agent).await.map(|(_, fence)| fence.0);
        findings.push(in_force(agent.id.as_str(), agent.boundary, force.map_err(|error| error.message)));
    }
    findings
}

fn kernel(support: &Support) -> Vec<Finding> {
    let landlock = match &support.landlock {
        Ok(version) => Finding::good("landlock", format!("version {version}: writes are limited")),
        Err(reason) => Finding::problem(
            "landlock",
            format!("missing ({reason}): workspace falls back to none, isolated is refused"),
            "use Linux 5.13 or newer with landlock among its security modules (lsm=landlock,…)",
        ),
    };
    let mounts = match &support.mounts {
        Ok(()) => Finding::good("mounts", "a namespace of one's own: secrets are hidden"),
        Err(reason) => Finding::warning(
            "mounts",
            format!("no namespace ({reason}): secrets are not hidden, isolated is refused"),
            "allow user namespaces: sysctl kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000 \
             kernel.apparmor_restrict_unprivileged_userns=0 (those that exist), or in a container --cap-add SYS_ADMIN",
        ),
    };
    let network = match &support.network {
        Ok(()) => Finding::good("network", "a namespace of one's own: isolated can be kept"),
        Err(reason) => Finding::warning(
            "network",
            format!("no namespace ({reason}): isolated is refused"),
            "as for mounts; the kernel needs CONFIG_NET_NS",
        ),
    };
    vec![landlock, mounts, network]
}

/// What an agent's boundary comes to here.
fn in_force(agent: &str, wanted: Boundary, force: Result<String, String>) -> Finding {
    const WHAT: &str = "boundary";
    match force {
        Err(reason) => {
            let repair = format!("string --agent {agent} agent boundary workspace");
            Finding::problem(WHAT, format!("{agent}: {reason}"), repair)
        }
        Ok(words) if wanted == Boundary::None => {
            let repair = format!("string --agent {agent} agent boundary workspace");
            Finding::warning(WHAT, format!("{agent}: {words}, so its commands may do what you may"), repair)
        }
        Ok(words) if words == wanted.as_str() => Finding::good(WHAT, format!("{agent}: {words}")),
        Ok(words) => Finding::warning(WHAT, format!("{agent}: {words}"), "see landlock and mounts above"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    #[test]
    fn what_the_kernel_lacks_is_said_with_what_follows() {
        let all = Support { landlock: Ok(6), mounts: Ok(()), network: Ok(()) };
        assert!(kernel(&all).iter().all(|finding| finding.state == State::Good));
        let none = Support {
            landlock: Err("ENOSYS".into()),
            mounts: Err("EPERM".into()),
            network: Err("EPERM".into()),
        };
        let states: Vec<_> = kernel(&none).iter().map(|finding| finding.state).collect();
        assert_eq!(states, [State::Problem, State::Warning, State::Warning]);
        assert!(kernel(&none).iter().all(|finding| finding.repair.is_some()));
    }

    #[test]
    fn a_boundary_that_is_less_than_wanted_is_a_warning() {
        let table = [
            (Boundary::Workspace, Ok("workspace"), State::Good),
            (Boundary::Workspace, Ok("workspace (secrets are not hidden)"), State::Warning),
            (Boundary::None, Ok("none"), State::Warning),
            (Boundary::Off, Ok("off"), State::Good),
            (Boundary::Isolated, Err("cannot be kept"), State::Problem),
        ];
        for (wanted, force, state) in table {
            let force = force.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(in_force("default", wanted, force).state, state, "{wanted:?}");
        }
    }
}
