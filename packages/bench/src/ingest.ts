/**
 * Measures market series in PostgreSQL: writes in comparison with a plain `COPY`, disk space, and the tools' reads of a
 * year of 40 coins. `node src/ingest.ts` runs the bench.
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
import { measureToolReads, writeCoinFacts } from "./ingest/toolReads.ts"
import { median, runConditions, table, writeSection } from "./report.ts"

const coins = Array.from({ length: 40 }, (_, i) => `C${i}`)
const { candles, prices } = pointsKinds
const stepMs = 5 * minuteMs
const from = Date.UTC(2025, 10, 1)
const until = from + 365 * dayMs
/** The number of rounds of the comparison. Each round writes one day of candles for all coins. */
const rounds = 15
const priceDays = 7

type Candle = PointRow<"open" | "high" | "low" | "close" | "volume" | "quoteVolume" | "takerBuyVolume">

/** Creates a candle with an exchange's precision: two decimals for prices, five for volumes. */
const makeCandle = (time: number, coin: number): Candle => {
  const priceWave = Math.sin(time / 7e8 + coin) + Math.sin(time / 3e7 + 2 * coin) / 10
  const price = (decimals: number, offset: number) =>
    Math.round((100 + 10 * priceWave + offset) * 10 ** decimals) / 10 ** decimals
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

const makeDay = (day: number) =>
  coins.map((subject, coin) => ({
    subject,
    rows: Array.from({ length: dayMs / stepMs }, (_, i) => makeCandle(day + i * stepMs, coin))
  }))

const measureMs = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

const runWithStore = async <A, E>(
  layer: Layer.Layer<MarketStore, E>,
  run: (store: MarketStore["Service"]) => Effect.Effect<A, unknown>
) => Effect.runPromise(Effect.provide(Effect.flatMap(MarketStore, run), layer))

const acquireLease = (store: MarketStore["Service"]): Effect.Effect<Fence, unknown> =>
  Effect.flatMap(
    store.acquireLeadership({ source: "bench", holder: "bench", ttlMs: hourMs }),
    (leadership) =>
      leadership._tag === "Leads"
        ? Effect.succeed(leadership.fence)
        : Effect.die(new Error("another process is the leader"))
  )

const writeDayWithStore = (store: MarketStore["Service"], fence: Fence, day: number) =>
  store.writePoints({
    kind: candles,
    fence,
    series: makeDay(day).map((series) => ({ ...series, source: "bench", covers: [{ from: day, to: day + dayMs }] }))
  })

const writeDayWithCopy = async (sql: postgres.Sql, day: number): Promise<void> => {
  const writable = await sql`copy copied from stdin`.writable()
  for (const [series, { rows }] of makeDay(day).entries()) {
    const text = rows.map((row) =>
      `${row.time}\t${row.open}\t${row.high}\t${row.low}\t${row.close}\t${row.volume}\t${row.quoteVolume}\t${row.takerBuyVolume}\t${series}\t1\n`
    ).join("")
    if (!writable.write(text)) await once(writable, "drain")
  }
  writable.end()
  await finished(writable)
}

const listMonths = (first: number, last: number): ReadonlyArray<readonly [string, number, number]> => {
  const months: Array<readonly [string, number, number]> = []
  for (let date = new Date(first); date.getTime() < last;) {
    const next = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1))
    months.push([date.toISOString().slice(0, 7).replace("-", ""), date.getTime(), next.getTime()])
    date = next
  }
  return months
}

/** Fills the rest of the year with candles, ordered by time like collected data. */
const fillYear = async (sql: postgres.Sql, startedAt: number) => {
  await sql.unsafe(`insert into market_candles (time, open, high, low, close, volume, quote_volume, taker_buy_volume,
      series, source)
    select t, 100 + s, 101 + s, 99 + s, 100.5 + s, t % 977 / 7.0, t % 9973 * 11.1, t % 97 / 3.0, s.id, 1
    from generate_series(${startedAt}::bigint, ${until - stepMs}::bigint, ${stepMs}) t
    cross join (select id, row_number() over (order by id) as s from market_series where kind = 'candles') s`)
  await sql.unsafe(`insert into market_prices (time, price, series, source)
    select t, 100 + t % 977 / 7.0, s.id, 1
    from generate_series(${until - priceDays * dayMs}::bigint, ${until - minuteMs}::bigint, ${minuteMs}) t
    cross join (select id from market_series where kind = 'prices') s
    on conflict do nothing`)
  await sql.unsafe("vacuum analyze")
}

const readTableSizes = async (sql: postgres.Sql, name: string) => {
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
      await measureMs(async () => {
        last = await read()
      })
    )
  }
  return { sample, last }
}

const createPartitions = async (sql: postgres.Sql, name: string) => {
  for (const [month, first, next] of listMonths(from, until)) {
    await sql.unsafe(`create table ${name}_${month} partition of ${name} for values from (${first}) to (${next})`)
  }
}

interface IngestTimes {
  readonly store: ReadonlyArray<number>
  readonly copy: ReadonlyArray<number>
  readonly turn: ReadonlyArray<number>
}

/**
 * Measures how long the store and a plain `COPY` take to write the same days of candles. The first day is warm-up and
 * is not counted.
 */
const ingest = async (store: MarketStore["Service"], fence: Fence, sql: postgres.Sql): Promise<IngestTimes> => {
  await sql.unsafe("create table copied (like market_candles including all) partition by range (time)")
  await createPartitions(sql, "copied")
  const times = { store: new Array<number>(), copy: new Array<number>(), turn: new Array<number>() }
  for (let n = 0; n <= rounds; n++) {
    const day = from + n * dayMs
    const writeWithStore = () => Effect.runPromise(writeDayWithStore(store, fence, day))
    const writeWithCopy = () => writeDayWithCopy(sql, day)
    const [first, second] = n % 2 === 0 ? [writeWithStore, writeWithCopy] : [writeWithCopy, writeWithStore]
    const [firstMs, secondMs] = [await measureMs(first), await measureMs(second)]
    if (n === 0) continue
    times.store.push(n % 2 === 0 ? firstMs : secondMs)
    times.copy.push(n % 2 === 0 ? secondMs : firstMs)
  }
  const [counts] = await sql<Array<{ same: boolean }>>`select
    (select count(*) from copied) = (select count(*) from market_candles) as same`
  if (counts?.same !== true) throw new Error("the store and COPY have written different numbers of rows")
  // Writes one candle of each coin, as a collector does every five minutes.
  for (let i = 0; i < 60; i++) {
    const time = from + (rounds + 1) * dayMs + i * stepMs
    const series = coins.map((subject, coin) => ({
      subject,
      source: "bench",
      rows: [makeCandle(time, coin)],
      covers: [{ from: time, to: time + stepMs }]
    }))
    times.turn.push(await measureMs(() => Effect.runPromise(store.writePoints({ kind: candles, fence, series }))))
  }
  return times
}

const storeReads = (store: MarketStore["Service"]) => {
  const firstMs = ["C7"]
  return [
    [
      "the last 300 candles of one coin",
      () =>
        Effect.map(
          store.points({ kind: candles, subjects: firstMs, from, to: until, last: 300 }),
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
        store.foldedPoints({ kind: candles, subjects: coins, from: until - 300 * hourMs, to: until, stepMs: hourMs }),
        (all) => [...all.values()].reduce((sum, { points }) => sum + points.length, 0)
      )],
    [
      "minute prices of 40 coins for an hour",
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
      "daily candles of one coin for a year",
      () =>
        Effect.map(
          store.foldedPoints({ kind: candles, subjects: firstMs, from, to: until, stepMs: dayMs }),
          (all) => all.get("C7")!.points.length
        )
    ],
    [
      "the covered intervals of 40 coins",
      () => Effect.map(store.records({ kind: candles, subjects: coins }), (all) => all.size)
    ]
  ] as const
}

const measureInPostgres = async (url: string, sql: postgres.Sql) =>
  runWithStore(
    PgMarketStore.pipe(Layer.provide(layerMigrations), Layer.provideMerge(layerPostgres({ url }))),
    (store) =>
      Effect.gen(function*() {
        const fence = yield* acquireLease(store)
        const writeMs = yield* Effect.promise(() => ingest(store, fence, sql))
        const fillFrom = from + (rounds + 1) * dayMs + 60 * stepMs
        const year = (subject: string) => ({ subject, source: "bench", rows: [], covers: [{ from, to: until }] })
        const price = (subject: string) => ({ ...year(subject), rows: [{ time: until - minuteMs, price: 1 }] })
        yield* store.writePoints({ kind: prices, fence, series: coins.map(price) })
        yield* Effect.promise(() => createMissingPartitions(sql))
        yield* Effect.promise(() => fillYear(sql, fillFrom))
        yield* store.writePoints({ kind: candles, fence, series: coins.map(year) })
        const reads: Array<{ readonly name: string; readonly sample: ReadonlyArray<number>; readonly rows: number }> =
          []
        for (const [name, read] of storeReads(store)) {
          const { last, sample } = yield* Effect.promise(() => measure(() => Effect.runPromise(read()), 15))
          reads.push({ name, sample, rows: last })
        }
        yield* writeCoinFacts(store, fence, coins, { listedAt: from, time: until - 8 * hourMs })
        const tools = yield* measureToolReads(store, ["C7", "C8"], until - 8 * hourMs, 15)
        return { ...writeMs, reads, tools }
      })
  )

const createMissingPartitions = async (sql: postgres.Sql) => {
  for (const name of ["market_candles", "market_prices"]) {
    for (const [month, first, next] of listMonths(from, until)) {
      await sql.unsafe(`create table if not exists ${name}_${month}
        partition of ${name} for values from (${first}) to (${next})`)
    }
  }
}

const measureEmbedded = () =>
  runWithStore(
    PgMarketStore.pipe(Layer.provide(layerMigrations), Layer.provideMerge(layerPglite({ memory: true }))),
    (store) =>
      Effect.gen(function*() {
        const fence = yield* acquireLease(store)
        const sample: Array<number> = []
        for (let n = 0; n < 6; n++) {
          const tookMs = yield* Effect.promise(() =>
            measureMs(() => Effect.runPromise(writeDayWithStore(store, fence, from + n * dayMs)))
          )
          if (n > 0) sample.push(tookMs)
        }
        return sample
      })
  )

const rowsOfDay = coins.length * (dayMs / stepMs)
const formatCount = (n: number, digits = 0) => n.toLocaleString("en", { maximumFractionDigits: digits })
const formatMs = (sample: ReadonlyArray<number>) => [
  `${formatCount(median(sample), 1)} ms`,
  `${formatCount(Math.min(...sample), 1)} to ${formatCount(Math.max(...sample), 1)} ms`
]

const server = await startPostgres()
const sql = postgres(server.url, { max: 1, onnotice: () => undefined })
try {
  const { copy, reads, store, tools, turn } = await measureInPostgres(server.url, sql)
  const pglite = await measureEmbedded()
  const sizes = [await readTableSizes(sql, "market_candles"), await readTableSizes(sql, "market_prices")]
  const [version] = await sql<Array<{ server_version: string }>>`show server_version`
  const rate = (sample: ReadonlyArray<number>) => rowsOfDay / (median(sample) / 1_000)
  const ratio = median(store.map((tookMs, i) => copy[i]! / tookMs))
  const bytesPerDay = (tableIndex: number) => {
    const { heap, indexes, rows } = sizes[tableIndex]!
    const days = rows / coins.length / (tableIndex === 0 ? dayMs / stepMs : dayMs / minuteMs)
    return [heap, indexes, heap + indexes].map((bytes) => `${formatCount(bytes / 1_024 / coins.length / days, 1)} KiB`)
  }
  writeSection(
    "ingest",
    `## Market series into PostgreSQL

${runConditions(new Date())}, load ${loadavg()[0]!.toFixed(1)} of ${cpus().length}, PostgreSQL ${
      version!.server_version
    }
with its defaults. Each sample is one day of 40 coins with ${
      formatCount(rowsOfDay)
    } candles. The store writes the candles in one transaction
with the lease, the covered interval and the revision, and replaces existing rows. For comparison, a plain \`COPY\`
writes the same rows as text to a table of the same form (partitions by month, the same key), in turn in the same run.

${
      table(["", "rows a second", "a day of 40 coins", "range"], [
        ["by the store", formatCount(rate(store)), ...formatMs(store)],
        ["plain `COPY`", formatCount(rate(copy)), ...formatMs(copy)],
        ["by the store, embedded PGlite in memory", formatCount(rate(pglite)), ...formatMs(pglite)]
      ])
    }

The store writes at ${
      ratio.toFixed(2)
    } of \`COPY\`'s rate (the median of ${store.length} days; the goal is 0.5). One write of a collector, with
one candle for each of 40 coins, takes ${formatMs(turn)[0]}.

Disk space per coin and day, over ${formatCount(sizes[0]!.rows)} candles and ${
      formatCount(sizes[1]!.rows)
    } minute prices:

${
      table(["", "rows", "index", "together"], [
        ["5-minute candles", ...bytesPerDay(0)],
        ["minute prices", ...bytesPerDay(1)]
      ])
    }

Warm reads of a store with one year of 40 coins, filled in the order of collection (all coins at each time):

${
      table(
        ["", "rows", "median", "range"],
        reads.map(({ name, rows, sample }) => [name, formatCount(rows), ...formatMs(sample)])
      )
    }

Tools that cost one credit, with the same store and the ports of the live market: the first call of a process, and then
calls for two coins in turn.

${
      table(
        ["", "first", "median", "range"],
        tools.map(({ first, name, sample }) => [`\`${name}\``, `${formatCount(first, 1)} ms`, ...formatMs(sample)])
      )
    }
`
  )
  console.log({ ratio, store: rate(store), copy: rate(copy), pglite: rate(pglite), turn: median(turn), sizes })
  for (const { name, rows, sample } of reads) console.log(name, rows, ...formatMs(sample))
  for (const { first, name, sample } of tools) console.log(name, first, ...formatMs(sample))
} finally {
  await sql.end()
  await server.stop()
}
