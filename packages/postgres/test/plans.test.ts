import { PgClient } from "@effect/sql-pg"
import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { findKeys, touchUsed } from "../src/access/PgKeyStore.ts"
import { takeRequests } from "../src/access/PgRequestWindowStore.ts"
import * as ending from "../src/credits/ending.ts"
import { hotSettings, type HotStatement, prepared } from "../src/credits/hotStatement.ts"
import { countAnswers, readBooks, recallEntry, renewEntry } from "../src/credits/PgLedgerStore.ts"
import * as reserving from "../src/credits/reserving.ts"
import { freshPostgres, onPostgres } from "./support/databases.ts"

const count = process.env["TAPELINE_TEST_FULL"] === "1" ? 1_000_000 : 100_000
const accounts = 10_000

/** A ledger of some age: all but a few entries have ended, and one in fifty still holds an idempotency key. */
const fill = [
  `insert into plans values ('free', 2000), ('lite', 10000), ('pro', 60000), ('premium', 200000)`,
  `insert into accounts (name, plan, created_at) select 'a' || n, 'pro', n from generate_series(1, ${accounts}) n`,
  `insert into keys (account, name, prefix, hash, scopes, created_at)
    select n, 'k', 'p', md5(n::text) || md5('x' || n), '{read:market}', n from generate_series(1, ${accounts}) n`,
  `insert into credit_months (account, month, allotted, cap)
    select n, m, 60000, 60000 from generate_series(1, ${accounts}) n, unnest('{202609,202610,202611}'::int[]) m`,
  `insert into credit_entries (account, key, month, credits, tool, state, reserved_at, expires_at, ended_at,
      idempotency_key, fingerprint, retained_until)
    select 1 + n % ${accounts}, 1, 202611, 1, 'get_price', case when n % 5000 = 0 then 'reserved' when n % 7 = 0 then 'released' else 'settled' end,
      n, n + 40000, case when n % 5000 > 0 then n + 20 end,
      case when n % 50 = 0 then 'key' || n end, case when n % 50 = 0 then 'f' end, case when n % 50 = 0 then n + 86400000 end
    from generate_series(1, ${count}) n`,
  `insert into credit_usage select n, m, t, 1, 0, 1
    from generate_series(1, ${accounts}) n, unnest('{202610,202611}'::int[]) m, unnest('{get_price,get_book}'::text[]) t`,
  `insert into request_windows select n, now(), 1, 1, 1, 60 from generate_series(1, ${accounts}) n`
]

const list = (of: (n: number) => number | string) => `'{${Array.from({ length: 64 }, (_, i) => of(i + 1)).join(",")}}'`
const [ascending, month, one] = [list((n) => n), list(() => 202611), list(() => 1)]
const values: Readonly<Record<string, string>> = {
  p_accounts: ascending,
  p_months: month,
  p_slots: ascending,
  p_entries: ascending,
  v_ids: ascending,
  v_taken: one,
  p_keys: one,
  p_credits: one,
  p_nows: one,
  p_expires: one,
  p_retained: one,
  p_tools: list(() => "get_price"),
  p_idems: list((n) => `key${n}`),
  p_prints: list(() => "f"),
  p_answers: list(() => "yes"),
  p_settles: list(() => "true"),
  p_account: "1",
  p_key: "'key50'",
  p_entry: "50",
  p_now: "1000",
  p_limit: "500"
}

interface Case {
  readonly name: string
  readonly sql: string
  readonly types: ReadonlyArray<string>
  readonly args: ReadonlyArray<string>
  /** The indexes that it may go by. */
  readonly indexes: ReadonlyArray<string>
  /** True for a statement that stands in a function, with the function's settings. */
  readonly inFunction: boolean
}

const inFunction = (name: string, statement: HotStatement, indexes: ReadonlyArray<string>): Case => ({
  name,
  ...prepared(statement),
  args: Object.keys(statement.parameters).map((parameter) => values[parameter]!),
  indexes,
  inFunction: true
})
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

const [monthsKey, entriesKey, usageKey] = ["credit_months_pkey", "credit_entries_pkey", "credit_usage_pkey"]
const cases: ReadonlyArray<Case> = [
  inFunction("missingMonths", reserving.missingMonths, [monthsKey]),
  inFunction("lockMonths", reserving.lockMonths, [monthsKey]),
  inFunction("findIdempotent", reserving.findIdempotent, ["credit_entries_idempotency"]),
  inFunction("freeIdempotent", reserving.freeIdempotent, [entriesKey]),
  inFunction("insertEntries", reserving.insertEntries, []),
  inFunction("reserveMonths", reserving.reserveMonths, [monthsKey]),
  inFunction("endEntries", ending.endEntries, [entriesKey, monthsKey, usageKey]),
  inFunction("findLapsed", ending.findLapsed, ["credit_entries_lapse"]),
  inFunction("expireEntries", ending.expireEntries, [entriesKey, monthsKey, usageKey]),
  inFunction("pruneAnswers", ending.pruneAnswers, [entriesKey, "credit_entries_retention"]),
  byItself("renewEntry", renewEntry, ["bigint", "bigint", "bigint"], ["5000", "1", "2"], [entriesKey]),
  byItself("recallEntry", recallEntry, ["bigint", "text", "bigint"], ["1", "'key50'", "1"], [
    "credit_entries_idempotency"
  ]),
  byItself("countAnswers", countAnswers, ["bigint", "bigint"], ["1", "5"], ["credit_entries_answers"]),
  byItself("readBooks", readBooks, ["bigint", "integer"], ["1", "202611"], [
    "accounts_pkey",
    "plans_pkey",
    monthsKey,
    usageKey
  ]),
  byItself("findKeys", findKeys, ["text[]"], ["'{abc,def}'"], ["keys_hash_key", "accounts_pkey"]),
  byItself("touchUsed", touchUsed, ["bigint[]", "bigint[]"], [ascending, ascending], ["keys_pkey"]),
  byItself("takeRequests", takeRequests, ["bigint[]", "integer[]", "integer[]", "float8"], [
    "'{1,2}'",
    "'{1,3}'",
    "'{60,60}'",
    "60000"
  ], [])
]

interface Node {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly Plans?: ReadonlyArray<Node>
}

const nodes = (node: Node): ReadonlyArray<Node> => [node, ...(node.Plans ?? []).flatMap(nodes)]

/** Ways of reading a table other than by an index; the table of plans has a handful of rows and may be read whole. */
const wrongScans = (plan: Node) =>
  nodes(plan).filter((node) => /Seq Scan|Tid|Sample/.test(node["Node Type"]) && node["Relation Name"] !== "plans")

const explain = (
  sql: PgClient.PgClient,
  { args, inFunction, sql: text, types }: Case,
  mode: string,
  withSettings: boolean
) =>
  sql.withTransaction(Effect.gen(function*() {
    const run = (statement: string) => sql.unsafe<{ "QUERY PLAN": unknown }>(statement).unprepared
    if (withSettings && inFunction) {
      for (const setting of hotSettings.split(/\bset /).filter((part) => part.trim() !== "")) {
        yield* run(`set local ${setting}`)
      }
    }
    yield* run(`set local plan_cache_mode = ${mode}`)
    yield* run(`prepare hot (${types.join(",")}) as ${text}`)
    const [row] = yield* run(`explain (format json) execute hot (${args.join(",")})`)
    yield* run("deallocate hot")
    const told = row!["QUERY PLAN"]
    const [{ Plan }] = (typeof told === "string" ? JSON.parse(told) : told) as [{ readonly Plan: Node }]
    return Plan
  }))

onPostgres("plans of the hot statements", () => {
  const filled = (analyze: boolean) =>
    Layer.effectDiscard(Effect.flatMap(PgClient.PgClient, (sql) =>
      Effect.gen(function*() {
        for (const text of [...fill, ...(analyze ? ["analyze"] : [])]) yield* sql.unsafe(text).unprepared
      }))).pipe(Layer.provideMerge(freshPostgres()))

  const check = (plan: Node, { indexes }: Case) => {
    assert.deepStrictEqual(wrongScans(plan), [])
    const used = nodes(plan).flatMap((node) => node["Index Name"] ?? [])
    assert.isTrue(used.every((index) => indexes.includes(index)), `${used.join(", ")} of ${indexes.join(", ")}`)
  }

  withLayer(filled(true), { excludeTestServices: true, timeout: 300_000 })(
    `plans with ${count.toLocaleString("en-US")} entries`,
    (it) => {
      it.effect("a statement without an index is told apart", () =>
        Effect.gen(function*() {
          const sql = yield* PgClient.PgClient
          const slow = byItself("slow", "select id from credit_entries where fingerprint = $1", ["text"], ["'f'"], [])
          const [held] = yield* sql<{ n: number }>`select count(*)::integer as n from credit_entries`
          assert.strictEqual(held?.n, count)
          const [scan] = wrongScans(yield* explain(sql, slow, "force_custom_plan", false))
          assert.strictEqual(scan?.["Relation Name"], "credit_entries")
        }))
      for (const one of cases) {
        it.effect(`${one.name} goes by indexes`, () =>
          Effect.gen(function*() {
            const sql = yield* PgClient.PgClient
            // As a session plans it, for these very values and for any, with its function's settings and without.
            for (const mode of ["force_custom_plan", "force_generic_plan"]) {
              for (const withSettings of [true, false]) check(yield* explain(sql, one, mode, withSettings), one)
            }
          }))
      }
    }
  )

  withLayer(freshPostgres(), { excludeTestServices: true, timeout: 60_000 })(
    "plans of empty tables, which a session keeps",
    (it) => {
      for (const one of cases.filter(({ inFunction }) => inFunction)) {
        it.effect(`${one.name} goes by indexes`, () =>
          Effect.gen(function*() {
            check(yield* explain(yield* PgClient.PgClient, one, "force_generic_plan", true), one)
          }))
      }
    }
  )
})
