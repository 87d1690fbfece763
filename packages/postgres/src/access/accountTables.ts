import { type AccountTable, defineTable as table } from "./accountTable.ts"
import { journalTables } from "./journalTables.ts"

/*
 * Every table with rows of accounts: which of its columns an export contains, and what an erasure does with its rows.
 * `accountTables.test.ts` compares the list of tables with the schema.
 */

const accounting = "Accounting: amounts without personal data"

const id = { id: "bigint" } as const
const call = { call: "text" } as const

/** The number of rows with images, or with other values of up to 1 MiB, in a page. */
const largeRows = 4

/** The events whose fields before and after the change contain only numbers and names of the service. */
const eventsWithoutPersonalData = [
  "access.revoked",
  "account.erased",
  "account.erasure_requested",
  "account.exported",
  "answer.failed",
  "credits.used_80",
  "credits.used_100",
  "sessions.ended",
  "task.fired"
]

const isPersonalEvent = `type not in (${eventsWithoutPersonalData.map((type) => `'${type}'`).join(", ")})`
/** The events of the user, and of the service for the user, such as the first sign-in with OpenID Connect. */
const isUserEvent = "(actor like 'session %' or actor = 'service')"

const access: ReadonlyArray<AccountTable> = [
  table("accounts", "account", id, {
    id: "number",
    name: "value",
    plan: "value",
    created_at: "time",
    external_id: "value",
    metadata: "json",
    status: "value",
    status_reason: "value"
  }, {
    account: "id",
    operatorColumns: ["external_id", "metadata", "status_reason"],
    erasure: {
      action: "redact",
      set: "name = 'erased', external_id = null, metadata = '{}', status_reason = null",
      where: "(name <> 'erased' or external_id is not null or metadata <> '{}' or status_reason is not null)",
      reason: "Accounting: entries refer to the account's id. Name, external id, metadata and reason were removed"
    }
  }),
  table("keys", "key", id, {
    id: "number",
    name: "value",
    prefix: "value",
    scopes: "value",
    created_at: "time",
    expires_at: "time",
    revoked_at: "time",
    last_used_at: "time",
    monthly_credits: "number",
    requests_per_minute: "value",
    allowed_ips: "value",
    first_key: "number"
  }, {
    omitted: { hash: "the hash of a secret" },
    erasure: {
      action: "redact",
      set: `name = 'erased', prefix = '', hash = 'erased ' || id, allowed_ips = '{}',
        revoked_at = coalesce(revoked_at, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)`,
      where: `(name <> 'erased' or prefix <> '' or hash not like 'erased %' or allowed_ips <> '{}'
        or revoked_at is null)`,
      reason: "Accounting: usage refers to the key's id. Name, prefix, hash and allowed addresses were removed"
    }
  }),
  table("sign_in_links", "sign_in_link", { hash: "text" }, { expires_at: "time", used_at: "time" }, {
    omitted: { hash: "the hash of a secret" }
  }),
  table("sessions", "session", id, {
    id: "number",
    signed_in_by: "value",
    device: "value",
    created_at: "time",
    last_used_at: "time",
    ends_at: "time",
    idle_ms: "number",
    ended_at: "time",
    ended_how: "value"
  }),
  // A session token is deleted together with its session.
  table("session_texts", "session_token", { hash: "text" }, null, {
    account: null,
    omitted: {
      hash: "the hash of a secret",
      session: "part of the hash's row",
      state: "part of the hash's row",
      since: "part of the hash's row"
    }
  }),
  table("identities", "identity", { issuer: "text", subject: "text" }, {
    issuer: "value",
    subject: "value",
    created_at: "time"
  }),
  table("request_windows", "rate_limit_window", {}, null, {
    omitted: Object.fromEntries(
      ["ends_at", "taken", "admitted", "asked", "most"].map((name) => [name, "a counter of the last minute"])
    )
  })
]

const credits: ReadonlyArray<AccountTable> = [
  table("credit_months", "month", { month: "integer" }, {
    month: "value",
    allotted: "number",
    cap: "number",
    used: "number",
    reserved: "number",
    adjusted: "number",
    key_caps: "value"
  }, { erasure: { action: "keep", reason: accounting } }),
  table("credit_key_months", "key_month", { month: "integer", key: "bigint" }, {
    month: "value",
    key: "number",
    credits: "number",
    cap: "number",
    used: "number",
    reserved: "number"
  }, { erasure: { action: "keep", reason: accounting } }),
  table("credit_reservations", "entry", { month: "integer", id: "bigint" }, {
    month: "value",
    id: "number",
    key: "number",
    task: "number",
    tool: "value",
    credits: "value",
    state: "value",
    reserved_at: "time",
    expires_at: "time",
    ended_at: "time",
    day: "value",
    idempotency_key: "value",
    retained_until: "time"
  }, {
    pageSize: 2_000,
    erasure: {
      action: "redact",
      set: "idempotency_key = null",
      where: "idempotency_key is not null",
      reason: "Accounting: what was charged. Idempotency keys were removed"
    }
  }),
  table("credit_idempotency", "stored_response", { key: "text" }, {
    key: "value",
    month: "value",
    entry: "number",
    origin: "number",
    retained_until: "time",
    answer: "json"
  }, { omitted: { fingerprint: "the hash of a request" }, pageSize: 20 }),
  table("credit_usage_days", "usage", { month: "integer", day: "integer", caller: "bigint", tool: "text" }, {
    month: "value",
    day: "value",
    caller: "number",
    tool: "value",
    calls: "number",
    failed: "number",
    credits: "number"
  }, { pageSize: 2_000, erasure: { action: "keep", reason: accounting } }),
  table("credit_adjustments", "adjustment", id, {
    id: "number",
    month: "value",
    kind: "value",
    amount: "number",
    reason: "value",
    reference: "value",
    call_month: "value",
    call: "number",
    created_at: "time"
  }, {
    operatorColumns: ["reason"],
    erasure: {
      action: "redact",
      set: "reason = 'erased'",
      where: "reason <> 'erased'",
      reason: "Accounting: amounts, and the reference to your own document. Reasons were removed"
    }
  }),
  table("credit_thresholds", "credit_threshold", { month: "integer", threshold: "integer" }, {
    month: "value",
    threshold: "value"
  }, { erasure: { action: "keep", reason: accounting } })
]

const conversations: ReadonlyArray<AccountTable> = [
  // The deletion of a conversation would delete its proposals without counting them.
  table("proposals", "proposal", { generation: "bigint", call: "text" }, {
    generation: "number",
    call: "value",
    conversation: "number",
    message: "number",
    state: "value",
    created_at: "time",
    expires_at: "time",
    attempt: "value",
    accepted_at: "time",
    report: "number",
    body: "json",
    result: "json"
  }, { pageSize: 50 }),
  table("conversations", "conversation", id, {
    id: "number",
    title: "json",
    mode: "value",
    lang: "value",
    created_at: "time",
    updated_at: "time",
    messages: "value",
    running: "number",
    question: "number",
    answer: "number",
    summary: "json",
    summary_up_to: "number",
    scopes: "value"
  }),
  table("messages", "message", { conversation: "bigint", id: "bigint" }, {
    conversation: "number",
    id: "number",
    role: "value",
    created_at: "time",
    replaced: "value",
    identity: "value",
    body: "json",
    suggestions: "json",
    scopes_stored: "value"
  }, { pageSize: 50 }),
  table("message_images", "message_image", { message: "bigint", image: "integer", piece: "integer" }, {
    message: "number",
    image: "value",
    piece: "value",
    media_type: "value",
    width: "value",
    height: "value",
    bytes: "bytes"
  }, { pageSize: largeRows }),
  table("generations", "answer", id, {
    id: "number",
    conversation: "number",
    question: "number",
    state: "value",
    epoch: "value",
    next_n: "value",
    next_step: "value",
    started_at: "time",
    renewed_at: "time",
    ended_at: "time",
    outcome: "value",
    answer: "number",
    origin: "number",
    idempotency_key: "value",
    logged: "value",
    brief: "json",
    reservation: "json",
    consumed: "json"
  }, { pageSize: 50 }),
  table("generation_steps", "answer_step", { generation: "bigint", name: "text" }, {
    generation: "number",
    name: "value",
    place: "value",
    content: "json"
  }, { pageSize: 20 }),
  table("generation_events", "answer_event", { generation: "bigint", n: "integer" }, {
    generation: "number",
    n: "value",
    kind: "value",
    data: "json"
  }, { pageSize: 100 }),
  table("artifacts", "chart", { id: "text" }, {
    id: "value",
    call: "value",
    about: "jsonBytes",
    png: "bytes",
    svg: "bytes",
    kept_at: "timestamp"
  }, { pageSize: largeRows })
]

const tasks: ReadonlyArray<AccountTable> = [
  table("task_accounts", "notification_counter", {}, { notified: "number" }),
  table("tasks", "task", id, {
    id: "number",
    kind: "value",
    status: "value",
    version: "number",
    max_runs: "number",
    runs: "number",
    conversation: "number",
    key: "number",
    created_at: "time",
    updated_at: "time",
    done_at: "time",
    not_before: "time",
    next_at: "time",
    said: "json",
    last: "json"
  }),
  table("task_watches", "watch", { task: "bigint" }, {
    task: "number",
    version: "number",
    arming: "number",
    armed: "value",
    checked_to: "time",
    last: "number"
  }),
  table("task_firings", "firing", id, {
    id: "number",
    task: "number",
    due: "value",
    due_at: "time",
    late_by: "number",
    missed: "number",
    said: "json",
    lang: "value",
    key: "number",
    conversation: "number",
    claimed_at: "time",
    epoch: "number",
    renewed_at: "time",
    state: "value",
    generation: "number",
    outcome: "value",
    ended_at: "time"
  }),
  table("notifications", "notification", { n: "bigint" }, {
    n: "number",
    time: "time",
    kind: "value",
    said: "json",
    task: "number",
    conversation: "number",
    read: "value"
  }),
  table("task_writes", "task_write", call, { call: "value", answer: "json", written_at: "time" }, { pageSize: 50 }),
  table("notification_marks", "notification_mark", call, { call: "value", marked: "number", written_at: "time" })
]

const events: ReadonlyArray<AccountTable> = [
  table("queued_events", "queued_event", { type: "text", subject: "bigint" }, {
    type: "value",
    subject: "number",
    time: "time",
    target: "value",
    after: "json"
  }),
  table("events", "event", id, {
    id: "number",
    time: "time",
    type: "value",
    actor: "value",
    target: "value",
    before: "json",
    after: "json",
    request_id: "value",
    address: "value"
  }, {
    ownerRows: isUserEvent,
    erasure: {
      action: "redact",
      set: `before = case when ${isPersonalEvent} then null else before end,
        after = case when ${isPersonalEvent} then null else after end,
        request_id = case when ${isUserEvent} then null else request_id end,
        address = case when ${isUserEvent} then null else address end`,
      where: `(${isPersonalEvent} and num_nonnulls(before, after) > 0
        or ${isUserEvent} and num_nonnulls(request_id, address) > 0)`,
      reason: "Audit log: who did what, and when. Changed values, and the user's addresses, were removed"
    }
  }),
  table("webhook_deliveries", "webhook_delivery", { webhook: "bigint", event: "bigint" }, null, {
    account: null,
    omitted: Object.fromEntries(
      ["webhook", "event", "state", "attempts", "last_attempt_at", "last_status", "last_error", "next_at"].map((
        name
      ) => [name, "how an event was sent to the operator"])
    ),
    erasure: { action: "keep", reason: "How events were sent to you, without their contents" }
  }),
  table("admin_requests", "admin_response", { actor: "text", key: "text" }, null, {
    account: null,
    omitted: Object.fromEntries(
      ["actor", "key", "fingerprint", "response", "created_at", "accounts"].map((name) => [
        name,
        "responses to the operator, kept for a day"
      ])
    )
  }),
  table("erasures", "erasure", {}, null, {
    omitted: Object.fromEntries(
      ["requested_at", "requested_by", "check_at", "finished_at", "leaves_backups_at", "deleted", "kept"].map((
        name
      ) => [name, "the report of an erasure"])
    ),
    erasure: { action: "keep", reason: "The report of the erasure" }
  })
]

export const accountTables: ReadonlyArray<AccountTable> = [
  ...access,
  ...credits,
  ...conversations,
  ...journalTables,
  ...tasks,
  ...events
]
