import { dayMs, type Gap, hourMs, minuteMs } from "@tapeline/core/market"
import { eventsKinds, MarketStore } from "@tapeline/core/market/store"
import { trackedCoins } from "@tapeline/market-live"
import { Clock, Context, Effect, Exit, Scope } from "effect"
import { clockOf } from "./reads.ts"
import { VirtualClock } from "./VirtualClock.ts"
import { type Listened } from "./weekLiquidations.ts"
import { weekPorts } from "./weekMarket.ts"
import { fedDays } from "./weekNews.ts"
import { limitsMs, startProcess } from "./weekProcess.ts"
import { weekServers } from "./weekServers.ts"

export interface WeekPlan {
  readonly dataDir: string
  readonly coins: ReadonlyArray<string>
  /** The end of the week, at a full hour. */
  readonly end: number
  /** The interval in which every source is unavailable. */
  readonly outage: Gap
  /** The interval in which Binance blocks this location, and Bybit is used instead. */
  readonly blocked?: Gap
  /** The process stops at the last window before this time. Another process then starts on the same data. */
  readonly restartAt: number
  /** Instants between which no collector runs, ascending. The first one begins the week, and the last one is `end`. */
  readonly windows: ReadonlyArray<number>
}

const days = { candleDays: 40, priceDays: 7, derivativeDays: 29, wonDays: 9 }

/** An index of volatility has enough days for a rank. */
const volatilityDays = 100
const hourStart = (time: number): number => Math.floor(time / hourMs) * hourMs
const fineMs = 300_000

/** The delay after which all data of an instant can be requested. */
const afterMs = 4_500

/** A stream reports its progress once a second. */
const heardMs = 1_100

/** Coins that are not always listed against the won. Some are listed, and one is delisted, in the week. */
const otherCoins = ["BNB", "WIF", "JUP", "FIL"]

/** A clock that follows another clock up to an instant. */
const cutOff = (clock: VirtualClock, end: number): Clock.Clock => clockOf(clock, (now) => Math.min(end, now))

/** A stream sends all events of a second at its end. */
const saidMs = 1_000

/** The time until which liquidations are stored. Later events are lost with the process that received them. */
const liquidationsUntil = (store: MarketStore["Service"]) =>
  Effect.map(
    Effect.orDie(store.recorded({ kind: eventsKinds.liquidations })),
    (records) => Math.min(...Array.from(records.values(), ({ contiguousUntil }) => contiguousUntil))
  )

/**
 * The intervals in which a stream is received. An interval begins with each process and ends at its last write. After
 * an outage, an interval begins at the first window.
 */
const listenedIn = (
  { end, outage, restartAt, windows }: Pick<WeekPlan, "end" | "outage" | "restartAt" | "windows">,
  writtenUntil: number
): Listened => {
  const first = windows[0]!
  const [again, away, back] = [restartAt, outage.from, outage.to].map((time) => windows.find((at) => at >= time))
  // The seconds of a stream begin when it connects, and again at each window after a break.
  const silent = again === undefined ?
    [] :
    [{ until: writtenUntil + saidMs, from: again - minuteMs, turn: again + afterMs }]
  if (away !== undefined && back !== undefined && away < back) {
    const until = windows.findLast((time) => time < away)! + 3 * afterMs
    silent.push({ until, from: back + afterMs, turn: back + afterMs })
  }
  const begins = [{ from: first, turn: first + afterMs }, ...silent]
  const ends = [...silent.map(({ until }) => until), end + saidMs]
  return {
    told: begins.flatMap(({ from, turn }, i) => [{ from, to: turn }, { from: turn, to: ends[i]! }]),
    gaps: [{ from: 0, to: first }, ...silent.map(({ from, until }) => ({ from: until - saidMs, to: from }))]
  }
}

/** The beginning of the recorded market data: the earliest time that the first requests cover. */
const beginningOf = (first: number, back: number): number => Math.floor((first + afterMs - back) / fineMs) * fineMs

/**
 * Runs a week with fake sources that serve the simulated market. A process collects from them. It is restarted once,
 * and all sources are unavailable once. Returns the services of the last process, and the ports of the market itself.
 */
export const runWeek = Effect.fnUntraced(
  function*({ blocked, coins: names, dataDir, end, outage, restartAt, windows }: WeekPlan) {
    const coins = trackedCoins.filter(({ coin }) => names.includes(coin))
    const first = windows[0]!
    let writtenUntil = first
    const isAway = (time: number) => outage.from <= time && time < outage.to
    const { onWire, ports } = weekPorts({
      seed: "the week",
      coins,
      otherCoins,
      begin: beginningOf(first, days.candleDays * dayMs),
      derivativesBegin: beginningOf(first, days.derivativeDays * dayMs),
      volatilityBegin: hourStart(first) - volatilityDays * dayMs,
      newsBegin: first + afterMs - fedDays * dayMs,
      postsBegin: first,
      wonBegin: beginningOf(first, days.wonDays * dayMs),
      listened: () => listenedIn({ windows, outage, restartAt, end }, writtenUntil),
      end,
      polled: new Set(windows.filter((time) => !isAway(time))),
      afterMs
    })
    const clock = new VirtualClock(first, limitsMs)
    // The market's time does not advance past the end, so that later requests return the data of that instant.
    const servers = yield* Effect.provideService(
      weekServers({ market: onWire, clock, coins: names }),
      Clock.Clock,
      cutOff(clock, end)
    )
    const start = Effect.fnUntraced(function*(holder: string) {
      const scope = Scope.makeUnsafe()
      const options = { clock, dataDir, holder, urls: servers.urls, coins, days, hasStandIn: blocked !== undefined }
      const services = yield* Effect.provideService(startProcess(options), Scope.Scope, scope)
      return { services, stop: Scope.close(scope, Exit.void) }
    })

    let running = yield* start("first")
    yield* Effect.addFinalizer(() => Effect.suspend(() => running.stop))
    let restarted = false
    for (const time of windows) {
      if (!restarted && time >= restartAt) {
        restarted = true
        writtenUntil = yield* liquidationsUntil(Context.get(running.services, MarketStore))
        yield* running.stop
        // No process runs until shortly before the next window.
        yield* Effect.promise(() => clock.leap(time - minuteMs))
        running = yield* start("second")
      }
      if (isAway(time)) servers.fail()
      else servers.heal()
      if (blocked !== undefined && blocked.from <= time && time < blocked.to) servers.block()
      yield* Effect.promise(() => clock.leap(time + afterMs - (time < end ? 0 : heardMs)))
      // Data that the first response did not cover is requested soon after.
      if (time < end) yield* Effect.promise(() => clock.pass(time + 3 * afterMs))
      // At the end, time does not advance further. The streams report their progress, and all collectors run twice: the
      // second time for data that the first responses did not cover.
      else {
        yield* Effect.promise(() => clock.pass(time + afterMs))
        yield* Effect.promise(() => clock.hurry(time + 70_000).then(() => clock.hurry(time + 70_000)))
      }
    }
    return { ports, process: running.services }
  }
)
