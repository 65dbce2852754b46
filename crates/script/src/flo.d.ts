// Types of the runtime that String gives to scripts. `string --types > flo.d.ts` writes this file.
// The web's globals (fetch, URL, TextEncoder, …) are those of TypeScript's own "dom" library.

declare module "flo:runtime" {
  export type ScopeKind = "profile" | "session" | "task" | "shared";

  export interface Entry<T = unknown> {
    key: string;
    value: T;
    /** Opaque; new on every write, never used twice for a key. */
    revision: string;
    /** ISO 8601, UTC, with milliseconds. */
    expires_at?: string;
  }

  export interface WriteResult<T = unknown> {
    ok: boolean;
    entry?: Entry<T>;
    /** The revision that was there instead of the expected one; absent if there is no such entry. */
    conflict_revision?: string;
  }

  export interface Page<T = unknown> {
    entries: Entry<T>[];
    /** Absent on the last page. */
    next_cursor?: string;
  }

  /** What every refusal of the runtime is. */
  export interface FloError extends Error {
    code: string;
    retryable: boolean;
  }

  interface Key {
    scope_kind: ScopeKind;
    key: string;
  }

  /** Absent: no condition. `null`: the key must not exist. A string: it must have exactly this revision. */
  interface Condition {
    if_revision?: string | null | undefined;
  }

  interface Lifetime {
    /** 1 to 315,360,000. */
    ttl_seconds?: number | undefined;
  }

  export const state: {
    get<T = unknown>(request: Key): Promise<Entry<T> | null>;
    list<T = unknown>(request: {
      scope_kind: ScopeKind;
      key_prefix: string;
      limit?: number | undefined;
      cursor?: string | undefined;
    }): Promise<Page<T>>;
    put<T = any>(request: Key & { value: T } & Condition & Lifetime): Promise<WriteResult<T>>;
    /** JSON merge patch: objects merge, `null` removes a field. */
    patch<T = any>(request: Key & { patch: object } & Condition & Lifetime): Promise<WriteResult<T>>;
    append<T = any>(request: Key & { item: unknown } & Condition & Lifetime): Promise<WriteResult<T[]>>;
    delete(request: Key & Condition): Promise<WriteResult<never>>;
  };

  export interface TaskContext {
    task_id: string;
    tool_id: string;
    agent_id: string;
    topic: string;
    depth: number;
  }

  export const task: {
    getToolState<T = unknown>(request: { key: string; tool_id?: string }): Promise<T | null>;
    putToolState<T = any>(request: { key: string; value: T } & Condition & Lifetime): Promise<WriteResult<T>>;
    getState<T = unknown>(request: { key: string }): Promise<T | null>;
    putState<T = any>(request: { key: string; value: T } & Condition & Lifetime): Promise<WriteResult<T>>;
    getContext(): Promise<TaskContext>;
    getProfile(): Promise<{ agent_id: string }>;
    emitEvent(request: {
      event_type: string;
      title?: string;
      message?: string;
      level?: "debug" | "info" | "warn" | "error";
      payload?: unknown;
    }): Promise<void>;
  };

  export interface ToolResult<T = any> {
    status: "success" | "failed" | "timeout" | "validation_error" | "suspended";
    output?: T;
    error?: { code: string; message: string; retryable: boolean; continuable: boolean };
  }

  export function callTool<T = any>(request: { tool_id: string; input?: object }): Promise<ToolResult<T>>;

  export const vault: {
    get(request: { scope: "profile" | "shared"; scope_id?: string; key: string }): Promise<string | null>;
  };

  export function sleep(ms: number): Promise<void>;

  export const time: {
    /** Tokens: [year] [month] [day] [hour] [minute] [second]. Seconds since 1970; UTC unless `tz` names a zone. */
    formatUnixTimestamp(timestamp: number, format: string, tz?: string): string;
  };

  /** The variables of the session that called. */
  export const vars: {
    get(name: string): any;
    set(name: string, value: unknown): void;
    all(): Record<string, any>;
  };

  /** The `$NAME` values that the tool declares. */
  export const env: {
    get(name: string): string | null;
  };

  export const flo: {
    state: typeof state;
    task: typeof task;
    vault: typeof vault;
    callTool: typeof callTool;
    sleep: typeof sleep;
    time: typeof time;
  };
  export const string: { vars: typeof vars; env: typeof env };
  export default flo;
}

declare module "string:runtime" {
  export * from "flo:runtime";
  export { default } from "flo:runtime";
}

declare const flo: typeof import("flo:runtime").flo;
declare const string: typeof import("flo:runtime").string;
