import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer as withLayer } from "@effect/vitest"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect, Layer } from "effect"
import { findKeys, updateLastUsed } from "../src/access/PgKeyStore.ts"
import { selectCalls } from "../src/credits/accountCalls.ts"
import { countAnswersSql, selectBalance, selectIdempotencyKey, selectUsage } from "../src/credits/reads.ts"
import { makeFreshPostgres } from "./support/databases.ts"

const count = isFullRun ? 1_000_000 : 100_000
const accounts = 10_000

/**
 * Creates a ledger with history: nearly all reservations have ended, and one in fifty still owns an idempotency key.
 */
const fill = [
  `insert into plans values ('free', 2000), ('lite', 10000), ('pro', 60000), ('premium', 200000)`,
  `insert into accounts (name, plan, created_at) select 'a' || n, 'pro', n from generate_series(1, ${accounts}) n`,
  `insert into keys (account, name, prefix, hash, scopes, created_at)
    select n, 'k', 'p', md5(n::text) || md5('x' || n), '{read:market}', n from generate_series(1, ${accounts}) n`,
  `insert into credit_months (account, month, allotted, cap)
    select n, m, 60000, 60000 from generate_series(1, ${accounts}) n, unnest('{202609,202610,202611}'::int[]) m`,
  `select credit_make_partition(m) from unnest('{202609,202610,202611}'::int[]) m`,
  `insert into credit_key_months (account, month, key, credits, cap)
    select n, m, n, 60000, 60000 from generate_series(1, ${accounts}) n, unnest('{202609,202610,202611}'::int[]) m`,
  `insert into credit_reservations (id, account, key, month, credits, tool, state, reserved_at, expires_at, ended_at,
      day, idempotency_key, retained_until)
    select n, 1 + n % ${accounts}, 1, 202609 + n % 3, 1, 'get_price',
      case when n % 5000 = 0 then 'reserved' when n % 7 = 0 then 'released' else 'settled' end,
      n, n + 40000, case when n % 5000 > 0 then n + 20 end, case when n % 10 = 0 then n / 86400000 end,
      case when n % 50 = 0 then 'key' || n end, case when n % 50 = 0 then n + 86400000 end
    from generate_series(1, ${count}) n`,
  `insert into credit_idempotency select account, idempotency_key, 'f', month, id, id, retained_until, null
    from credit_reservations where idempotency_key is not null`,
  `insert into credit_adjustments (account, month, kind, amount, reason, call_month, call, created_at)
    select account, month, 'refund', 1, 'r', month, id, 1 from credit_reservations where id % 3 = 0`,
  `insert into credit_usage_days select n, m, d, c, t, 1, 0, 1
    from generate_series(1, ${accounts}) n, unnest('{202610,202611}'::int[]) m,
      generate_series(20756, 20758) d, generate_series(-1, 1) c, unnest('{get_price,get_book}'::text[]) t`,
  `insert into request_windows select n, now(), 1, 1, 1, 60 from generate_series(1, ${accounts}) n`
]

const list = (getValue: (n: number) => number | string) =>
  `'{${Array.from({ length: 64 }, (_, i) => getValue(i + 1)).join(",")}}'`
const [ascending, month, one] = [list((n) => n), list(() => 202611), list(() => 1)]
const values: Readonly<Record<string, readonly [type: string, value: string]>> = {
  p_accounts: ["bigint[]", ascending],
  p_months: ["integer[]", month],
  p_slots: ["integer[]", ascending],
  p_entries: ["bigint[]", ascending],
  p_keys: ["bigint[]", one],
  p_tasks: ["bigint[]", one],
  p_credits: ["integer[]", one],
  p_ttls: ["bigint[]", one],
  p_quotas: ["integer[]", one],
  p_retains: ["bigint[]", one],
  p_tools: ["text[]", list(() => "get_price")],
  p_idems: ["text[]", list((n) => `key${n}`)],
  p_prints: ["text[]", list(() => "f")],
  p_answers: ["text[]", list(() => "yes")],
  p_ids: ["bigint[]", ascending],
  p_settles: ["boolean[]", list(() => "true")],
  p_account: ["bigint", "1"],
  p_month: ["integer", "202611"],
  p_entry: ["bigint", "50"],
  p_tool: ["text", "'get_price'"],
  p_ttl: ["bigint", "1000"],
  p_plan: ["text", "'pro'"],
  p_after: ["bigint", "5"],
  p_limit: ["integer", "500"],
  p_asked: ["integer[]", one],
  p_most: ["integer[]", one],
  p_window: ["float8", "60000"],
  v_accounts: ["bigint[]", ascending],
  v_months: ["integer[]", month],
  v_ids: ["bigint[]", ascending],
  v_held: ["boolean[]", list(() => "true")],
  v_held_accounts: ["bigint[]", ascending],
  v_held_months: ["integer[]", month],
  v_days: ["integer[]", list(() => 20757)],
  v_callers: ["bigint[]", one],
  v_tools: ["text[]", list(() => "get_price")],
  v_free_accounts: ["bigint[]", ascending],
  v_free_months: ["integer[]", month],
  v_free_days: ["integer[]", list(() => 20757)],
  v_free_callers: ["bigint[]", one],
  v_free_tools: ["text[]", list(() => "get_price")],
  v_stuck: ["bigint[]", "'{}'"],
  v_taken: ["bigint[]", one],
  v_locked_months: ["integer[]", "'{202610,202611,202612}'"],
  v_lock_counts: ["integer[]", list(() => "0")],
  v_answers: ["text[]", list(() => "yes")],
  v_capped: ["boolean[]", list(() => "true")],
  v_ended: ["integer[]", ascending],
  v_limit_slots: ["integer[]", ascending],
  v_limit_keys: ["bigint[]", ascending],
  v_limit_taken: ["bigint[]", one],
  limit_keys: ["float8[]", ascending],
  v_origins: ["bigint[]", one],
  v_replaced: ["bigint[]", one],
  v_lapsed: ["bigint[]", ascending],
  v_lapsed_months: ["integer[]", month],
  v_busy: ["bigint[]", "'{}'"],
  v_now: ["bigint", "1000"],
  v_month: ["integer", "202611"],
  v_day: ["integer", "0"],
  v_left: ["integer", "500"]
}

const settings = ["jit = off", "enable_seqscan = off", "enable_hashjoin = off", "enable_mergejoin = off"]

interface Case {
  readonly name: string
  readonly sql: string
  readonly types: ReadonlyArray<string>
  readonly args: ReadonlyArray<string>
  readonly indexes: ReadonlyArray<string>
  /** Whether the statement is in a function, so that it runs with the function's settings. */
  readonly inFunction: boolean
}

const byItself = (
  name: string,
  sql: string,
  types: ReadonlyArray<string>,
  args: ReadonlyArray<string>,
  indexes: ReadonlyArray<string>
): Case => ({
  name,
  sql,
  types,
  args,
  indexes,
  inFunction: false
})

/** Returns the statements that a function's source marks as `hot`, with `$1`, `$2` and so on in place of variables. */
const hotIn = (source: string): ReadonlyMap<string, Pick<Case, "sql" | "types" | "args">> =>
  new Map([...source.matchAll(/\/\* hot (\w+) \*\/([\s\S]*?)\/\* end \*\//g)].map(([, name, text]) => {
    const usedVariables = Object.keys(values).filter((variable) => new RegExp(`\\b${variable}\\b`).test(text!))
    const sql = usedVariables.reduce(
      (sql, variable, i) => sql.replaceAll(new RegExp(`\\b${variable}\\b`, "g"), `$${i + 1}`),
      text!
    )
    const usedValues = usedVariables.map((variable) => values[variable]!)
    return [name!, { sql, types: usedValues.map(([type]) => type), args: usedValues.map(([, value]) => value) }]
  }))

const [monthsKey, entriesKey, usageKey] = ["credit_months_pkey", "credit_reservations_pkey", "credit_usage_days_pkey"]
const [expiryIndex, day] = ["credit_reservations_expires_at_idx", "credit_reservations_account_day_idx"]
const keyMonthsKey = "credit_key_months_pkey"
const [keyKey, retention] = ["credit_idempotency_pkey", "credit_idempotency_retention"]

const byAccount = new Set([monthsKey, usageKey, keyKey, keyMonthsKey])

const inFunctions: Readonly<Record<string, ReadonlyArray<string>>> = {
  missingMonths: [monthsKey],
  openMonths: ["accounts_pkey", monthsKey],
  openFreeMonths: ["accounts_pkey", monthsKey],
  lockMonths: [monthsKey],
  lockFreeMonths: [monthsKey],
  findIdempotent: [keyKey, entriesKey],
  countDay: [day],
  insertReservations: [],
  reserveMonths: [monthsKey],
  disarmLapsed: [entriesKey],
  holdKeys: [],
  lockEnding: [monthsKey],
  lockFreeEnding: [monthsKey],
  endReservations: [entriesKey, monthsKey, usageKey, keyKey],
  findEnded: [entriesKey],
  findKeyMonths: ["keys_pkey", keyMonthsKey],
  reserveKeyMonths: [keyMonthsKey],
  findEndingKeys: [entriesKey, "keys_pkey", keyMonthsKey],
  endKeyMonths: [entriesKey, keyMonthsKey],
  missingChargeMonths: [monthsKey],
  lockChargeMonths: [monthsKey],
  lockFreeChargeMonths: [monthsKey],
  findUnlockedMonths: [monthsKey],
  findChargeKeys: ["keys_pkey", keyMonthsKey],
  findChargeIdempotency: [keyKey, entriesKey],
  findCharged: [entriesKey],
  writeCharges: [monthsKey],
  chargeKeyMonths: [keyMonthsKey],
  disarmBeforeCharge: [entriesKey],
  keepAnswers: [],
  expireKeyMonths: [entriesKey, "keys_pkey", keyMonthsKey],
  renew: [entriesKey],
  findLapsed: [expiryIndex],
  lockLapsed: [monthsKey],
  expireReservations: [entriesKey, monthsKey, usageKey],
  lockUsage: [usageKey],
  findStuckUsage: [usageKey],
  takeRequests: [],
  takeFreeRequests: ["request_windows_pkey"],
  monthIsNeeded: [expiryIndex, "credit_idempotency_month"],
  pruneKeys: [retention, keyKey, entriesKey],
  // In the test, all accounts have the same plan, so the index on the id is as good as the index on the plan.
  findOnPlan: ["accounts_plan", "accounts_pkey"]
}

const hotStatements = Effect.flatMap(PgClient.PgClient, (sql) =>
  Effect.map(
    sql<{ source: string }>`select prosrc as source from pg_proc where prosrc like '%/* hot %'`,
    (rows) => new Map(rows.flatMap(({ source }) => [...hotIn(source)]))
  ))

const caseOf = (name: string) =>
  Effect.map(hotStatements, (statements): Case => ({
    name,
    ...statements.get(name)!,
    indexes: inFunctions[name]!,
    inFunction: true
  }))

/** The statement with which earlier versions read account balances. Earlier versions know usage only by tool. */
const readBalanceBefore = `select m.allotted, u.tool, u.calls::float8 as calls
  from (select $2::integer as month offset 0) t
  join accounts a on a.id = $1::bigint
  left join plans p on p.name = a.plan
  left join credit_months m on m.account = a.id and m.month = t.month
  left join credit_usage u on u.account = a.id and u.month = t.month
  order by u.tool collate "C"`

const listCalls = byItself(
  "listCalls",
  selectCalls,
  ["bigint", "integer", "bigint", "integer", "bigint"],
  ["1", "202611", "90000", "100", "5"],
  [entriesKey, "credit_adjustments_account_call_key", "credit_adjustments_pkey"]
)

const cases: ReadonlyArray<Case> = [
  listCalls,
  byItself("recallEntry", selectIdempotencyKey, ["bigint", "text", "bigint"], ["1", "'key50'", "1"], [
    keyKey,
    entriesKey
  ]),
  byItself("countAnswers", countAnswersSql, ["bigint", "bigint"], ["1", "5"], [day]),
  byItself("readBalance", selectBalance, ["bigint", "integer", "bigint"], ["1", "202611", "5"], [
    "accounts_pkey",
    "plans_pkey",
    monthsKey,
    usageKey
  ]),
  byItself("readUsage", selectUsage, ["bigint", "integer", "bigint"], ["1", "202611", "5"], [
    "accounts_pkey",
    "plans_pkey",
    monthsKey,
    usageKey,
    "keys_pkey",
    "keys_account"
  ]),
  byItself("readBalance of the previous version", readBalanceBefore, ["bigint", "integer"], ["1", "202611"], [
    "accounts_pkey",
    "plans_pkey",
    monthsKey,
    usageKey
  ]),
  byItself("findKeys", findKeys, ["text[]"], ["'{abc,def}'"], ["keys_hash_key", "accounts_pkey"]),
  byItself("touchUsed", updateLastUsed, ["bigint[]", "bigint[]", "bigint"], [ascending, ascending, "1000"], [
    "keys_pkey"
  ])
]

interface Node {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly "Index Cond"?: string
  readonly Plans?: ReadonlyArray<Node>
}

const nodes = (node: Node): ReadonlyArray<Node> => [node, ...(node.Plans ?? []).flatMap(nodes)]

/** The tables that may be scanned completely: `plans`, which has few rows, and months without reservations. */
const small = /^(plans|credit_reservations_(?!202611)\w+)$/

const wrongScans = (plan: Node) =>
  nodes(plan).filter((node) =>
    /Seq Scan|Tid|Sample/.test(node["Node Type"]) && !small.test(node["Relation Name"] ?? "")
  )

const explain = (
  sql: PgClient.PgClient,
  { args, inFunction, sql: text, types }: Case,
  mode: string,
  withSettings: boolean
) =>
  sql.withTransaction(Effect.gen(function*() {
    const run = (statement: string) => sql.unsafe<{ "QUERY PLAN": unknown }>(statement).unprepared
    if (withSettings && inFunction) {
      for (const setting of settings) yield* run(`set local ${setting}`)
    }
    yield* run(`set local plan_cache_mode = ${mode}`)
    yield* run(`prepare hot (${types.join(",")}) as ${text}`)
    const [row] = yield* run(`explain (format json) execute hot (${args.join(",")})`)
    yield* run("deallocate hot")
    const planJson = row!["QUERY PLAN"]
    // The cast is safe, because this is the output of EXPLAIN.
    const [{ Plan }] = (typeof planJson === "string" ? JSON.parse(planJson) : planJson) as [{ readonly Plan: Node }]
    return Plan
  }))

describe("plans of the hot statements", () => {
  const filled = (analyze: boolean) =>
    Layer.effectDiscard(Effect.flatMap(PgClient.PgClient, (sql) =>
      Effect.gen(function*() {
        for (const text of [...fill, ...(analyze ? ["analyze"] : [])]) yield* sql.unsafe(text).unprepared
      }))).pipe(Layer.provideMerge(makeFreshPostgres()))

  const check = (plan: Node, { indexes }: Case) => {
    assert.deepStrictEqual(wrongScans(plan), [])
    const usedIndexes = nodes(plan).flatMap((node) => node["Index Name"]?.replace(/_(\d{6}|default)_/, "_") ?? [])
    assert.isTrue(
      usedIndexes.every((index) => indexes.includes(index)),
      `${usedIndexes.join(", ")} of ${indexes.join(", ")}`
    )
    // An index that begins with the account is read completely if the condition does not contain the account.
    const unboundedScans = nodes(plan).filter((node) =>
      byAccount.has(node["Index Name"]!) && !/\baccount\b/.test(node["Index Cond"] ?? "")
    )
    assert.deepStrictEqual(unboundedScans, [])
  }

  withLayer(filled(true), { excludeTestServices: true, timeout: 300_000 })(
    `plans with ${count.toLocaleString("en-US")} entries`,
    (it) => {
      it.effect("detect a statement without an index", () =>
        Effect.gen(function*() {
          const sql = yield* PgClient.PgClient
          const slow = byItself("slow", "select month from credit_idempotency where answer = $1", ["text"], ["'f'"], [])
          const [reservationCount] = yield* sql<{ n: number }>`select count(*)::integer as n from credit_reservations`
          assert.strictEqual(reservationCount?.n, count)
          const [scan] = wrongScans(yield* explain(sql, slow, "force_custom_plan", false))
          assert.strictEqual(scan?.["Relation Name"], "credit_idempotency")
        }))
      const checkPlan = Effect.fnUntraced(function*(one: Case) {
        const sql = yield* PgClient.PgClient
        // Plans the statement once for its values and once for any values, with the settings of the function.
        for (const mode of ["force_custom_plan", "force_generic_plan"]) {
          check(yield* explain(sql, one, mode, true), one)
        }
      })
      it.effect("cover every hot statement of a function", () =>
        Effect.map(
          hotStatements,
          (statements) => assert.deepStrictEqual([...statements.keys()].sort(), Object.keys(inFunctions).sort())
        ))
      for (const name of Object.keys(inFunctions)) {
        it.effect(`use indexes for ${name}`, () => Effect.flatMap(caseOf(name), checkPlan))
      }
      for (const one of cases) it.effect(`use indexes for ${one.name}`, () => checkPlan(one))
      it.effect("read the newest calls of an account in the order of the primary key, without a sort", () =>
        Effect.gen(function*() {
          const sql = yield* PgClient.PgClient
          // The account has so many calls that reading them all would be slow.
          yield* sql.unsafe(
            `insert into credit_reservations (id, account, key, month, credits, tool, state, reserved_at,
              expires_at, ended_at)
            select ${2 * count} + n, ${accounts + 1}, 1, 202611, 1, 'get_price', 'settled', n, n, n
            from generate_series(1, 30000) n`
          ).unprepared
          yield* sql.unsafe("analyze credit_reservations").unprepared
          const args = [String(accounts + 1), "202611", String(2 * count + 20_000), "100", "5"]
          const plan = nodes(yield* explain(sql, { ...listCalls, args }, "force_custom_plan", false))
          assert.isUndefined(plan.find((node) => node["Node Type"].includes("Sort")))
          const scan = plan.find((node) => node["Index Name"] === "credit_reservations_202611_pkey")
          assert.match(scan!["Index Cond"]!, /account = .* AND .*month = .* AND .*id < /)
        }))
    }
  )

  withLayer(makeFreshPostgres(), { excludeTestServices: true, timeout: 60_000 })(
    "generic plans that a session made for empty tables",
    (it) => {
      for (const name of Object.keys(inFunctions)) {
        it.effect(`use indexes for ${name}`, () =>
          Effect.gen(function*() {
            const one = yield* caseOf(name)
            check(yield* explain(yield* PgClient.PgClient, one, "force_generic_plan", true), one)
          }))
      }
    }
  )
})
