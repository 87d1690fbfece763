/**
 * Measures market series in PostgreSQL. Compares candles written by the store with a plain `COPY` of the same rows into
 * a table of the same form, in the same run. Also measures the disk space of a coin and day, and the tools' reads over
 * a year of 40 coins. Run with `node src/ingest.ts`.
 */
import { dayMs, hourMs, minuteMs } from "@tapeline/core/market"
import { type Fence, MarketStore, type PointRow, pointsKinds } from "@tapeline/core/market/store"
import { layerMigrations, layerPglite, layerPostgres, PgMarketStore } from "@tapeline/postgres"
import { startPostgres } from "@tapeline/testing/postgresServer"
import { Effect, Layer } from "effect"
import { once } from "node:events"
import { cpus, loadavg } from "node:os"
import { finished } from "node:stream/promises"
import postgres from "postgres"
import { toolReads, writeFacts } from "./ingest/toolReads.ts"
import { median, runConditions, table, writeSection } from "./report.ts"

const coins = Array.from({ length: 40 }, (_, i) => `C${i}`)
const { candles, prices } = pointsKinds
const stepMs = 5 * minuteMs
const from = Date.UTC(2025, 10, 1)
const until = from + 365 * dayMs
/** The number of compared rounds. Each writes a day of all coins. */
const rounds = 15
const priceDays = 7

type Candle = PointRow<"open" | "high" | "low" | "close" | "volume" | "quoteVolume" | "takerBuyVolume">

/** A candle with an exchange's precision: two decimals for prices, five for volumes. */
const candleOf = (time: number, coin: number): Candle => {
  const wave = Math.sin(time / 7e8 + coin) + Math.sin(time / 3e7 + 2 * coin) / 10
  const price = (places: number, more: number) => Math.round((100 + 10 * wave + more) * 10 ** places) / 10 ** places
  const volume = price(5, 50 * Math.sin(time / 1e6 + coin))
  return {
    time,
    open: price(2, 0),
    high: price(2, 0.4),
    low: price(2, -0.3),
    close: price(2, 0.1),
    volume,
    quoteVolume: Math.round(volume * 100 * 1e7) / 1e7,
    takerBuyVolume: Math.round(volume * 0.48 * 1e5) / 1e5
  }
}

const dayOf = (day: number) =>
  coins.map((subject, coin) => ({
    subject,
    rows: Array.from({ length: dayMs / stepMs }, (_, i) => candleOf(day + i * stepMs, coin))
  }))

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

const runWith = async <A, E>(
  layer: Layer.Layer<MarketStore, E>,
  use: (store: MarketStore["Service"]) => Effect.Effect<A, unknown>
) => Effect.runPromise(Effect.provide(Effect.flatMap(MarketStore, use), layer))

const leads = (store: MarketStore["Service"]): Effect.Effect<Fence, unknown> =>
  Effect.flatMap(
    store.lead({ source: "bench", holder: "bench", ttlMs: hourMs }),
    (lead) => lead._tag === "Leads" ? Effect.succeed(lead.fence) : Effect.die(new Error("another one leads"))
  )

const writeDay = (store: MarketStore["Service"], fence: Fence, day: number) =>
  store.writePoints({
    kind: candles,
    fence,
    series: dayOf(day).map((one) => ({ ...one, source: "bench", covers: [{ from: day, to: day + dayMs }] }))
  })

/** Writes the same rows as text with `COPY` into a table of the same form. */
const copyDay = async (sql: postgres.Sql, day: number): Promise<void> => {
  const writable = await sql`copy copied from stdin`.writable()
  for (const [series, { rows }] of dayOf(day).entries()) {
    const text = rows.map((row) =>
      `${row.time}\t${row.open}\t${row.high}\t${row.low}\t${row.close}\t${row.volume}\t${row.quoteVolume}\t${row.takerBuyVolume}\t${series}\t1\n`
    ).join("")
    if (!writable.write(text)) await once(writable, "drain")
  }
  writable.end()
  await finished(writable)
}

const monthsFrom = (first: number, last: number): ReadonlyArray<readonly [string, number, number]> => {
  const found: Array<readonly [string, number, number]> = []
  for (let date = new Date(first); date.getTime() < last;) {
    const next = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1))
    found.push([date.toISOString().slice(0, 7).replace("-", ""), date.getTime(), next.getTime()])
    date = next
  }
  return found
}

/** Fills the rest of the year in the order of collection: all coins at each time. */
const fillYear = async (sql: postgres.Sql, begun: number) => {
  await sql.unsafe(`insert into market_candles (time, open, high, low, close, volume, quote_volume, taker_buy_volume,
      series, source)
    select t, 100 + s, 101 + s, 99 + s, 100.5 + s, t % 977 / 7.0, t % 9973 * 11.1, t % 97 / 3.0, s.id, 1
    from generate_series(${begun}::bigint, ${until - stepMs}::bigint, ${stepMs}) t
    cross join (select id, row_number() over (order by id) as s from market_series where kind = 'candles') s`)
  await sql.unsafe(`insert into market_prices (time, price, series, source)
    select t, 100 + t % 977 / 7.0, s.id, 1
    from generate_series(${until - priceDays * dayMs}::bigint, ${until - minuteMs}::bigint, ${minuteMs}) t
    cross join (select id from market_series where kind = 'prices') s
    on conflict do nothing`)
  await sql.unsafe("vacuum analyze")
}

const bytesOf = async (sql: postgres.Sql, name: string) => {
  const [row] = await sql.unsafe<Array<{ heap: string; indexes: string; rows: string }>>(`select
    sum(pg_relation_size(inhrelid)) as heap, sum(pg_indexes_size(inhrelid)) as indexes,
    (select count(*) from ${name}) as rows from pg_inherits where inhparent = '${name}'::regclass`)
  return { heap: Number(row!.heap), indexes: Number(row!.indexes), rows: Number(row!.rows) }
}

const measure = async <A>(
  read: () => Promise<A>,
  times: number
): Promise<{ readonly sample: ReadonlyArray<number>; readonly last: A }> => {
  let last = await read()
  const sample: Array<number> = []
  for (let i = 0; i < times; i++) {
    sample.push(
      await timed(async () => {
        last = await read()
      })
    )
  }
  return { sample, last }
}

const makeParts = async (sql: postgres.Sql, name: string) => {
  for (const [month, first, next] of monthsFrom(from, until)) {
    await sql.unsafe(`create table ${name}_${month} partition of ${name} for values from (${first}) to (${next})`)
  }
}

interface Ingested {
  readonly store: ReadonlyArray<number>
  readonly copy: ReadonlyArray<number>
  readonly turn: ReadonlyArray<number>
}

/** Writes the same days in both ways, in turn. The first day of each is not counted. */
const ingest = async (store: MarketStore["Service"], fence: Fence, sql: postgres.Sql): Promise<Ingested> => {
  await sql.unsafe("create table copied (like market_candles including all) partition by range (time)")
  await makeParts(sql, "copied")
  const times = { store: new Array<number>(), copy: new Array<number>(), turn: new Array<number>() }
  for (let n = 0; n <= rounds; n++) {
    const day = from + n * dayMs
    const ours = () => Effect.runPromise(writeDay(store, fence, day))
    const theirs = () => copyDay(sql, day)
    // The order alternates.
    const [first, second] = n % 2 === 0 ? [ours, theirs] : [theirs, ours]
    const [one, other] = [await timed(first), await timed(second)]
    if (n === 0) continue
    times.store.push(n % 2 === 0 ? one : other)
    times.copy.push(n % 2 === 0 ? other : one)
  }
  const [counts] = await sql<Array<{ same: boolean }>>`select
    (select count(*) from copied) = (select count(*) from market_candles) as same`
  if (counts?.same !== true) throw new Error("the two have not written the same")
  // The writes of a collector every five minutes: one candle of each coin.
  for (let i = 0; i < 60; i++) {
    const time = from + (rounds + 1) * dayMs + i * stepMs
    const series = coins.map((subject, coin) => ({
      subject,
      source: "bench",
      rows: [candleOf(time, coin)],
      covers: [{ from: time, to: time + stepMs }]
    }))
    times.turn.push(await timed(() => Effect.runPromise(store.writePoints({ kind: candles, fence, series }))))
  }
  return times
}

const readsOf = (store: MarketStore["Service"]) => {
  const one = ["C7"]
  return [
    [
      "the last 300 candles of one coin",
      () =>
        Effect.map(
          store.points({ kind: candles, subjects: one, from, to: until, last: 300 }),
          (all) => all.get("C7")!.points.length
        )
    ],
    [
      "24 hours of 40 coins, 5-minute candles",
      () =>
        Effect.map(
          store.points({ kind: candles, subjects: coins, from: until - dayMs, to: until }),
          (all) => [...all.values()].reduce((sum, { points }) => sum + points.length, 0)
        )
    ],
    ["300 hourly candles of 40 coins", () =>
      Effect.map(
        store.folded({ kind: candles, subjects: coins, from: until - 300 * hourMs, to: until, stepMs: hourMs }),
        (all) => [...all.values()].reduce((sum, { points }) => sum + points.length, 0)
      )],
    [
      "an hour of minutes of 40 coins",
      () =>
        Effect.map(
          store.points({ kind: prices, subjects: coins, from: until - hourMs, to: until }),
          (all) => [...all.values()].reduce((sum, { points }) => sum + points.length, 0)
        )
    ],
    [
      "the newest price of 40 coins",
      () => Effect.map(store.latest({ kind: prices, at: until, withinMs: hourMs }), (all) => all.size)
    ],
    [
      "a year of one coin by the day",
      () =>
        Effect.map(
          store.folded({ kind: candles, subjects: one, from, to: until, stepMs: dayMs }),
          (all) => all.get("C7")!.points.length
        )
    ],
    [
      "what is recorded of 40 coins",
      () => Effect.map(store.recorded({ kind: candles, subjects: coins }), (all) => all.size)
    ]
  ] as const
}

const inside = async (url: string, sql: postgres.Sql) =>
  runWith(
    PgMarketStore.pipe(Layer.provide(layerMigrations), Layer.provideMerge(layerPostgres({ url }))),
    (store) =>
      Effect.gen(function*() {
        const fence = yield* leads(store)
        const written = yield* Effect.promise(() => ingest(store, fence, sql))
        const rest = from + (rounds + 1) * dayMs + 60 * stepMs
        const year = (subject: string) => ({ subject, source: "bench", rows: [], covers: [{ from, to: until }] })
        const price = (subject: string) => ({ ...year(subject), rows: [{ time: until - minuteMs, price: 1 }] })
        yield* store.writePoints({ kind: prices, fence, series: coins.map(price) })
        yield* Effect.promise(() => fillParts(sql))
        yield* Effect.promise(() => fillYear(sql, rest))
        yield* store.writePoints({ kind: candles, fence, series: coins.map(year) })
        const reads: Array<{ readonly name: string; readonly sample: ReadonlyArray<number>; readonly rows: number }> =
          []
        for (const [name, read] of readsOf(store)) {
          const { last, sample } = yield* Effect.promise(() => measure(() => Effect.runPromise(read()), 15))
          reads.push({ name, sample, rows: last })
        }
        yield* writeFacts(store, fence, coins, { listedAt: from, time: until - 8 * hourMs })
        const tools = yield* toolReads(store, ["C7", "C8"], until - 8 * hourMs, 15)
        return { ...written, reads, tools }
      })
  )

/** Creates the partitions that the store has not created yet, with the store's names. */
const fillParts = async (sql: postgres.Sql) => {
  for (const name of ["market_candles", "market_prices"]) {
    for (const [month, first, next] of monthsFrom(from, until)) {
      await sql.unsafe(`create table if not exists ${name}_${month}
        partition of ${name} for values from (${first}) to (${next})`)
    }
  }
}

/** Writes the same days into the embedded database, in memory. */
const embedded = () =>
  runWith(
    PgMarketStore.pipe(Layer.provide(layerMigrations), Layer.provideMerge(layerPglite({ memory: true }))),
    (store) =>
      Effect.gen(function*() {
        const fence = yield* leads(store)
        const sample: Array<number> = []
        for (let n = 0; n < 6; n++) {
          const took = yield* Effect.promise(() =>
            timed(() => Effect.runPromise(writeDay(store, fence, from + n * dayMs)))
          )
          if (n > 0) sample.push(took)
        }
        return sample
      })
  )

const rowsOfDay = coins.length * (dayMs / stepMs)
const count = (n: number, digits = 0) => n.toLocaleString("en", { maximumFractionDigits: digits })
const ms = (sample: ReadonlyArray<number>) => [
  `${count(median(sample), 1)} ms`,
  `${count(Math.min(...sample), 1)} to ${count(Math.max(...sample), 1)} ms`
]

const server = await startPostgres()
const sql = postgres(server.url, { max: 1, onnotice: () => undefined })
try {
  const { copy, reads, store, tools, turn } = await inside(server.url, sql)
  const pglite = await embedded()
  const sizes = [await bytesOf(sql, "market_candles"), await bytesOf(sql, "market_prices")]
  const [version] = await sql<Array<{ server_version: string }>>`show server_version`
  const rate = (sample: ReadonlyArray<number>) => rowsOfDay / (median(sample) / 1_000)
  const ratio = median(store.map((took, i) => copy[i]! / took))
  const perDay = (place: number) => {
    const { heap, indexes, rows } = sizes[place]!
    const days = rows / coins.length / (place === 0 ? dayMs / stepMs : dayMs / minuteMs)
    return [heap, indexes, heap + indexes].map((bytes) => `${count(bytes / 1_024 / coins.length / days, 1)} KiB`)
  }
  writeSection(
    "ingest",
    `## Market series into PostgreSQL

${runConditions(new Date())}, load ${loadavg()[0]!.toFixed(1)} of ${cpus().length}, PostgreSQL ${
      version!.server_version
    }
with its defaults. Days of 40 coins, ${count(rowsOfDay)} candles each: by the store, in one transaction with its lease,
what is covered and the revision, and replacing what is there; beside it a plain \`COPY\` of the same rows as text into
a table of the same form (parts by month, the same key), in turn, in the same run.

${
      table(["", "rows a second", "a day of 40 coins", "range"], [
        ["by the store", count(rate(store)), ...ms(store)],
        ["plain `COPY`", count(rate(copy)), ...ms(copy)],
        ["by the store, embedded PGlite in memory", count(rate(pglite)), ...ms(pglite)]
      ])
    }

The store writes at ${
      ratio.toFixed(2)
    } of \`COPY\`'s rate (the median of ${store.length} days; the goal is 0.5). One turn of a collector, a candle of
each of 40 coins, takes ${ms(turn)[0]}.

On disk, by coin and day, over ${count(sizes[0]!.rows)} candles and ${count(sizes[1]!.rows)} minute prices:

${
      table(["", "rows", "index", "together"], [
        ["5-minute candles", ...perDay(0)],
        ["minute prices", ...perDay(1)]
      ])
    }

Reads of the store at one year of 40 coins, filled in the order in which it is collected (all coins at each time), warm:

${table(["", "told", "median", "range"], reads.map(({ name, rows, sample }) => [name, count(rows), ...ms(sample)]))}

Tools of one credit over the same store, by the ports of the live market: the first answer of a process, and then of two
coins in turn.

${
      table(
        ["", "first", "median", "range"],
        tools.map(({ first, name, sample }) => [`\`${name}\``, `${count(first, 1)} ms`, ...ms(sample)])
      )
    }
`
  )
  console.log({ ratio, store: rate(store), copy: rate(copy), pglite: rate(pglite), turn: median(turn), sizes })
  for (const { name, rows, sample } of reads) console.log(name, rows, ...ms(sample))
  for (const { first, name, sample } of tools) console.log(name, first, ...ms(sample))
} finally {
  await sql.end()
  await server.stop()
}
