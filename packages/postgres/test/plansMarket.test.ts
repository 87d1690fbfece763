import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer as withLayer } from "@effect/vitest"
import { eventsKinds, pointsKinds } from "@tapeline/core/market/store"
import { Effect, Layer } from "effect"
import { selectEvents, selectTallies } from "../src/market/eventReads.ts"
import { selectEventSubjects } from "../src/market/eventWrites.ts"
import { selectDocuments, selectSeries } from "../src/market/PgMarketStore.ts"
import { selectFolded, selectLatest, selectPoints, toChunkParameters } from "../src/market/pointReads.ts"
import { makeFreshPostgres } from "./support/databases.ts"

const coins = 40
const months = [8, 9, 10] as const
const days = 3
const dayMs = 86_400_000

const monthOf = (n: number) => ({ from: Date.UTC(2026, n), to: Date.UTC(2026, n + 1) })
const partName = (n: number) => `2026${String(n + 1).padStart(2, "0")}`

const parts = months.flatMap((n) =>
  ["candles", "liquidations", "articles"].map((table) =>
    `create table market_${table}_${partName(n)} partition of market_${table}
      for values from (${monthOf(n).from}) to (${monthOf(n).to})`
  )
)

/**
 * Statements that insert data of some days within three months. Rows are inserted in the order of collection: all coins
 * at each time.
 */
const fill = [
  ...parts,
  `insert into market_sources (name) values ('binance')`,
  `insert into market_series (kind, subject, first_at, sources)
    select k, 'C' || n, ${monthOf(8).from}, '{1}'
    from unnest('{candles,liquidations,articles}'::text[]) k, generate_series(1, ${coins}) n
    order by k <> 'candles', k <> 'liquidations', n`,
  ...months.flatMap((n) => {
    const { from } = monthOf(n)
    return [
      `insert into market_candles (time, open, high, low, close, volume, quote_volume, taker_buy_volume, series, source)
        select ${from} + t * 300000::bigint, 1, 1, 1, 1, 1, 1, 1, s, 1
        from generate_series(0, ${days * 288 - 1}) t, generate_series(1, ${coins}) s`,
      `insert into market_liquidations (time, price, size_usd, series, source, leads, id, label)
        select ${from} + t * 300000::bigint + s, 1, 1, s, 1, true, ${n} || '/' || t || '/' || s, 'long'
        from generate_series(0, ${days * 288 - 1}) t, generate_series(${coins + 1}, ${2 * coins}, 2) s`,
      `insert into market_articles (time, sentiment, series, source, leads, id, label, document)
        select ${from} + t * 300000::bigint, 1, s, 1, s = 81, ${n} || '/' || t, 'p', '{}'
        from generate_series(0, ${days * 288 - 1}) t, generate_series(81, 85) s`
    ]
  }),
  `insert into market_documents select 'k' || n % 5, 'd' || n, 1, 1, '{}' from generate_series(1, 20000) n`
]

const { from } = monthOf(10)
const to = from + days * dayMs
const between = (n: number) => [`'${monthOf(n).from}'`, `'${to}'`]
const one = (kind: string) => [`'${kind}'`, `'{C7}'`]
const eventsOf = (kind: string, n: number) => [...one(kind), ...between(n), "null", "0", "'3600000'"]
const eventTypes = ["text", "text[]", "bigint", "bigint", "float8", "integer", "bigint"]
const pointTypes = ["text", "text[]", "bigint", "bigint"]

interface Case {
  readonly sql: string
  readonly types: ReadonlyArray<string>
  readonly args: ReadonlyArray<string>
  /** The maximum number of months that the statement may read, counted back from the last month. */
  readonly reads: number
  /** The maximum number of executions of any part of the plan. */
  readonly runs?: number
}

const byTheDay = (from: number) => [
  ...one("candles"),
  `'${from}'`,
  `'${to}'`,
  `'${dayMs}'`,
  ...toChunkParameters(from, dayMs).map((one) => `'${one}'`)
]

const all = `'{${Array.from({ length: coins }, (_, i) => `C${i + 1}`).join(",")}}'`

const cases: Readonly<Record<string, Case>> = {
  "the last 300 candles of one coin": {
    sql: selectPoints(pointsKinds.candles),
    types: [...pointTypes, "bigint", "bigint"],
    args: [...one("candles"), ...between(9), "null", "'300'"],
    reads: 2
  },
  "a day of all coins": {
    sql: selectPoints(pointsKinds.candles),
    types: [...pointTypes, "bigint", "bigint"],
    args: ["'candles'", all, `'${to - dayMs}'`, `'${to}'`, "null", "null"],
    reads: 1
  },
  "months of one coin by day": {
    sql: selectFolded(pointsKinds.candles),
    types: [...pointTypes, "bigint", "bigint", "bigint"],
    args: byTheDay(monthOf(8).from),
    reads: 3
  },
  "decades of one coin by day, with months recorded": {
    sql: selectFolded(pointsKinds.candles),
    types: [...pointTypes, "bigint", "bigint", "bigint"],
    args: byTheDay(to - 30 * 365 * dayMs),
    reads: 3,
    runs: (to - monthOf(8).from) / dayMs
  },
  "the newest candles of all coins": {
    sql: selectLatest(pointsKinds.candles),
    types: pointTypes,
    args: ["'candles'", "null", `'${to}'`, `'${to - 3_600_000}'`],
    reads: 1
  },
  "liquidations of one coin": {
    sql: selectEvents.ofSubject(eventsKinds.liquidations),
    types: [...eventTypes, "bigint"],
    args: [...eventsOf("liquidations", 10), "'100'"],
    reads: 1
  },
  "articles of all subjects": {
    sql: selectEvents.ofAll(eventsKinds.articles),
    types: [...eventTypes, "bigint"],
    args: ["'articles'", "'{}'", `'${to - dayMs}'`, `'${to}'`, "null", "0", "'3600000'", "'100'"],
    reads: 1
  },
  "counts of liquidations of all coins": {
    sql: selectTallies(eventsKinds.liquidations),
    types: eventTypes,
    args: ["'liquidations'", all, `'${to - dayMs}'`, `'${to}'`, "null", "0", "'3600000'"],
    reads: 1
  },
  "subjects of events": {
    sql: selectEventSubjects(eventsKinds.liquidations),
    types: ["text[]"],
    args: ["'{10/1/41,10/2/41}'"],
    reads: 3
  },
  "recorded series": { sql: selectSeries, types: ["text", "text[]"], args: ["'candles'", all], reads: 0 },
  "documents by id": { sql: selectDocuments, types: ["text", "text[]"], args: ["'k1'", "'{d1,d6}'"], reads: 0 }
}

interface Node {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Actual Loops": number
  readonly Plans?: ReadonlyArray<Node>
}

interface ExplainResult {
  readonly Plan: Node
  readonly JIT?: object
}

const nodes = (node: Node): ReadonlyArray<Node> => [node, ...(node.Plans ?? []).flatMap(nodes)]

const small = /^market_(sources|series)$/

/** Returns the plan's nodes that read a table without an index, and the partitions that the plan reads. */
const checkPlanNodes = (plan: Node) => ({
  wrongNodes: nodes(plan).filter((node) =>
    /Seq Scan|Tid|Sample/.test(node["Node Type"]) && !small.test(node["Relation Name"] ?? "")
  ),
  parts: nodes(plan).flatMap((node) =>
    node["Actual Loops"] > 0 ? node["Relation Name"]?.match(/_(2026\d\d)$/)?.[1] ?? [] : []
  ),
  runs: Math.max(...nodes(plan).map((node) => node["Actual Loops"]))
})

const explain = (sql: PgClient.PgClient, { args, sql: text, types }: Case, mode: string) =>
  sql.withTransaction(Effect.gen(function*() {
    const run = (statement: string) => sql.unsafe<{ "QUERY PLAN": unknown }>(statement).unprepared
    yield* run(`set local plan_cache_mode = ${mode}`)
    yield* run(`prepare hot (${types.join(",")}) as ${text}`)
    // The statement is executed and not only planned, because a generic plan excludes partitions only during execution.
    const [row] = yield* run(`explain (analyze, timing off, format json) execute hot (${args.join(",")})`)
    yield* run("deallocate hot")
    const planJson = row!["QUERY PLAN"]
    // The cast is safe, because this is the output of EXPLAIN.
    const [explainResult] = (typeof planJson === "string" ? JSON.parse(planJson) : planJson) as [ExplainResult]
    return explainResult
  }))

describe("plans of reads of market series", () => {
  const filled = (analyzed: boolean) =>
    Layer.effectDiscard(
      Effect.flatMap(PgClient.PgClient, (sql) =>
        Effect.forEach(analyzed ? [...fill, "analyze"] : fill, (text) => sql.unsafe(text).unprepared))
    ).pipe(
      Layer.provideMerge(makeFreshPostgres())
    )

  for (const analyzed of [true, false]) {
    withLayer(filled(analyzed), { excludeTestServices: true, timeout: 120_000 })(
      `market series, ${analyzed ? "analyzed" : "before they are analyzed"}`,
      (it) => {
        for (const [name, one] of Object.entries(cases)) {
          it.effect(`read ${name} by indexes, and no other months`, () =>
            Effect.gen(function*() {
              const sql = yield* PgClient.PgClient
              for (const mode of ["force_custom_plan", "force_generic_plan"]) {
                const { JIT, Plan } = yield* explain(sql, one, mode)
                assert.isUndefined(JIT, "JIT compilation takes longer than the read")
                const { parts, runs, wrongNodes } = checkPlanNodes(Plan)
                assert.deepStrictEqual(wrongNodes, [], mode)
                if (one.runs !== undefined) assert.isAtMost(runs, one.runs, mode)
                assert.includeMembers(months.slice(3 - one.reads).map(partName), parts, mode)
              }
            }))
        }
      }
    )
  }
})
