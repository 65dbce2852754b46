// Every example of the page on state, as it is written there.
export async function examples() {
  const entry = await flo.state.get<{ total: number }>({
    scope_kind: "session",
    key: "counter.session.total",
  });

  const page = await flo.state.list({
    scope_kind: "task",
    key_prefix: "counter.audit.events.",
    limit: 100,
  });

  const write = await flo.state.put({
    scope_kind: "session",
    key: "counter.session.total",
    value: { total: 4 },
    ttl_seconds: 3600,
    if_revision: entry?.revision ?? null,
  });

  const patched = await flo.state.patch({
    scope_kind: "session",
    key: "counter.session.total",
    patch: {
      totals: { success: 4 },
      stale_field: null,
    },
    if_revision: write.entry?.revision,
  });

  const appended = await flo.state.append({
    scope_kind: "task",
    key: "counter.audit.events",
    item: { type: "tick", at: 1700000000 },
    if_revision: patched.entry?.revision,
  });

  const deleted = await flo.state.delete({
    scope_kind: "session",
    key: "counter.session.total",
    if_revision: entry?.revision ?? null,
  });

  await flo.state.get({
    scope_kind: "shared",
    key: "cache.service.answer",
  });
  return [page, appended, deleted];
}
