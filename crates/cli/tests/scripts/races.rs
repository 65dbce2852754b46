//! Many scripts at once: from several topics and agents, nested, and interrupted.

use crate::support::{tool, world};

const BINDINGS: &str = "state:
  - { name: shared, key_prefix: r., scope_kind: shared, scope_id: race }
  - { name: own, key_prefix: r., scope_kind: profile }";

#[tokio::test(flavor = "multi_thread")]
async fn every_write_of_many_scripts_arrives() {
    let world = world().await;
    let body = "
        const own = { scope_kind: 'profile' as const, key: 'r.count' };
        await Promise.all(Array.from({ length: 10 }, (_, i) => flo.state.append({ scope_kind: 'shared', key: 'r.all', item: [input.who, i] })));
        for (let done = 0; done < 5; ) {
          const before = await flo.state.get<number>(own);
          if ((await flo.state.put({ ...own, value: (before?.value ?? 0) + 1, if_revision: before?.revision ?? null })).ok) done++;
        }
        return 'done';";
    tool(&world, "racer", BINDINGS, body);
    let calls: Vec<_> = (0..40)
        .map(|n| world.spawn(world.request(&format!("t{}", n % 20), &format!("/tool:racer --who {n}"))))
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap().content, "done");
    }
    tool(
        &world,
        "count",
        BINDINGS,
        "const all = (await flo.state.get<[string, number][]>({ scope_kind: 'shared', key: 'r.all' }))!.value;
         const count = (await flo.state.get<number>({ scope_kind: 'profile', key: 'r.count' }))!.value;
         return [all.length, new Set(all.map(String)).size, count].join();",
    );
    assert_eq!(world.ok("main", "/tool:count").await, "400,400,200");
}

#[tokio::test(flavor = "multi_thread")]
async fn nested_calls_of_many_callers_do_not_wait_for_each_other() {
    let world = world().await;
    tool(
        &world,
        "nest",
        "timeout_ms: 60000",
        "const { depth } = await flo.task.getContext();
         if (depth === 4) return 1;
         const both = await Promise.all([flo.callTool({ tool_id: 'nest' }), depth === 0 ? flo.callTool({ tool_id: 'nest' }) : { output: 0 }]);
         return both.reduce((sum, one: any) => sum + one.output, 0);",
    );
    // More callers than may run at a time, each of which needs places at every depth.
    let calls: Vec<_> = (0..24).map(|n| world.spawn(world.request(&format!("t{n}"), "/tool:nest"))).collect();
    for call in calls {
        assert_eq!(call.await.unwrap().content, "2");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_topic_leaves_no_state_of_a_script_that_was_running() {
    let world = world().await;
    let session = "state:\n  - { name: s, key_prefix: s., scope_kind: session }";
    let body = "
        for (let i = 0; ; i++) await flo.state.put({ scope_kind: 'session', key: 's.' + (i % 50), value: i });";
    tool(&world, "writer", session, body);
    let read = "return (await flo.state.list({ scope_kind: 'session', key_prefix: 's.' })).entries.length;";
    tool(&world, "read", session, read);
    let running = world.spawn(world.request("doomed", "/tool:writer"));
    let seen = async {
        while world.ok("system", "/state ls session:doomed").await.lines().count() < 5 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(30), seen).await.unwrap();
    world.ok("doomed", "/interrupt").await;
    running.await.unwrap();
    world.ok("main", "/session close doomed").await;
    assert_eq!(world.ok("doomed", "/tool:read").await, "0");
}
