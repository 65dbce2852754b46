// The tracker: one entry of state for each thing, and one for the last number that was given out.
import { flo } from "flo:runtime";

interface Item {
  text: string;
  tag?: string;
  done: boolean;
  history: string[];
}

const scope_kind = "profile" as const;
const PREFIX = "tracker.item.";
const LAST = { scope_kind, key: "tracker.last" };

const keyOf = (id: number) => ({ scope_kind, key: `${PREFIX}${String(id).padStart(9, "0")}` });
const idOf = (key: string) => Number(key.slice(PREFIX.length));
const now = () => new Date().toISOString();

/** A number that nobody else has, however many add things at once. */
async function nextId(): Promise<number> {
  for (;;) {
    const last = await flo.state.get<number>(LAST);
    const id = (last?.value ?? 0) + 1;
    const write = await flo.state.put({ ...LAST, value: id, if_revision: last?.revision ?? null });
    if (write.ok) return id;
  }
}

async function* everything() {
  let cursor: string | undefined;
  do {
    const page = await flo.state.list<Item>({ scope_kind, key_prefix: PREFIX, cursor });
    yield* page.entries;
    cursor = page.next_cursor;
  } while (cursor);
}

async function find(id: number) {
  const entry = await flo.state.get<Item>(keyOf(id));
  if (!entry) throw Object.assign(new Error(`There is no ${id}`), { code: "no_such_item" });
  return entry;
}

export async function add({ text, tag }: { text: string; tag?: string }) {
  const id = await nextId();
  await flo.state.put<Item>({ ...keyOf(id), value: { text, tag, done: false, history: [`added ${now()}`] } });
  return { id, text };
}

export async function done({ id }: { id: number }) {
  const { value, revision } = await find(id);
  const history = [...value.history, `done ${now()}`];
  const write = await flo.state.patch<Item>({ ...keyOf(id), patch: { done: true, history }, if_revision: revision });
  if (!write.ok) throw new Error(`Somebody else changed ${id} meanwhile: try again`);
  return { id, text: value.text };
}

export async function drop({ id }: { id: number }) {
  const { value } = await find(id);
  await flo.state.delete(keyOf(id));
  return `Dropped ${id}: ${value.text}`;
}

export async function list({ tag, all }: { tag?: string; all: boolean }) {
  const count = { open: 0, done: 0 };
  const items: { id: number; mark: string; text: string; label: string }[] = [];
  for await (const { key, value } of everything()) {
    count[value.done ? "done" : "open"]++;
    if ((tag && value.tag !== tag) || (value.done && !all)) continue;
    const label = value.tag ? ` (${value.tag})` : "";
    items.push({ id: idOf(key), mark: value.done ? "x" : " ", text: value.text, label });
  }
  return { items, ...count };
}
