import { mapClock } from "@tapeline/core"
import { dayMs, type Gap, hourMs, minuteMs } from "@tapeline/core/market"
import { eventsKinds, MarketStore } from "@tapeline/core/market/store"
import { trackedCoins } from "@tapeline/market-live"
import { Clock, Context, Effect, Exit, Scope } from "effect"
import { VirtualClock } from "./VirtualClock.ts"
import { type ListeningPeriods } from "./weekLiquidations.ts"
import { makeWeekPorts } from "./weekMarket.ts"
import { feedDays } from "./weekNews.ts"
import { startProcess, timeoutsMs } from "./weekProcess.ts"
import { startWeekServers } from "./weekServers.ts"

export interface WeekPlan {
  readonly dataDir: string
  readonly coins: ReadonlyArray<string>
  /** The end of the simulated week, at a full hour. */
  readonly end: number
  readonly outage: Gap
  /** The interval in which Binance blocks the server's location, so that Bybit is used. */
  readonly blocked?: Gap
  /** The process stops at the last window before `restartAt`, and another process then continues with the same data. */
  readonly restartAt: number
  /** The times between which no collector runs, in ascending order from the beginning of the week to `end`. */
  readonly windows: ReadonlyArray<number>
}

const days = { candleDays: 40, priceDays: 7, derivativeDays: 29, wonDays: 9 }

/** The number of days of history from which a volatility index has a rank. */
const volatilityDays = 100
const hourStart = (time: number): number => Math.floor(time / hourMs) * hourMs
const fineStepMs = 300_000

/** The delay after a scheduled time until all its data can be requested. */
const pollDelayMs = 4_500

/** A stream reports its progress once a second. */
const eventDelayMs = 1_100

/**
 * Coins without a permanent won market. During the week, the exchange lists some of these coins and delists one of
 * them.
 */
const otherCoins = ["BNB", "WIF", "JUP", "FIL"]

const stopAt = (clock: VirtualClock, end: number): Clock.Clock => mapClock(clock, (now) => Math.min(end, now))

/** A stream sends all events of a second at the end of the second. */
const reportDelayMs = 1_000

/** Returns the time up to which liquidations are stored. A process that stops loses the later events. */
const readLiquidationsUntil = (store: MarketStore["Service"]) =>
  Effect.map(
    Effect.orDie(store.records({ kind: eventsKinds.liquidations })),
    (records) => Math.min(...Array.from(records.values(), ({ contiguousUntil }) => contiguousUntil))
  )

/**
 * Returns the intervals in which a stream is received. An interval begins when a process starts, and at the first
 * window after an outage.
 */
const listeningPeriods = (
  { end, outage, restartAt, windows }: Pick<WeekPlan, "end" | "outage" | "restartAt" | "windows">,
  writtenUntil: number
): ListeningPeriods => {
  const first = windows[0]!
  const [restartWindow, outageWindow, recoveryWindow] = [restartAt, outage.from, outage.to].map((time) =>
    windows.find((at) => at >= time)
  )
  // A stream counts seconds from its connection, which happens at the start and at each window after an interruption.
  const silences = restartWindow === undefined ?
    [] :
    [{ until: writtenUntil + reportDelayMs, from: restartWindow - minuteMs, turn: restartWindow + pollDelayMs }]
  if (outageWindow !== undefined && recoveryWindow !== undefined && outageWindow < recoveryWindow) {
    const until = windows.findLast((time) => time < outageWindow)! + 3 * pollDelayMs
    silences.push({ until, from: recoveryWindow + pollDelayMs, turn: recoveryWindow + pollDelayMs })
  }
  const begins = [{ from: first, turn: first + pollDelayMs }, ...silences]
  const ends = [...silences.map(({ until }) => until), end + reportDelayMs]
  return {
    covered: begins.flatMap(({ from, turn }, i) => [{ from, to: turn }, { from: turn, to: ends[i]! }]),
    gaps: [{ from: 0, to: first }, ...silences.map(({ from, until }) => ({ from: until - reportDelayMs, to: from }))]
  }
}

/** Returns the start of the recorded data: the earliest time that the first requests cover. */
const seriesBegin = (first: number, lengthMs: number): number =>
  Math.floor((first + pollDelayMs - lengthMs) / fineStepMs) * fineStepMs

/**
 * Runs a week: a process collects from fake sources that serve the simulated market. Returns the services of the last
 * process, and the ports of the simulated market.
 */
export const runWeek = Effect.fnUntraced(
  function*({ blocked, coins: names, dataDir, end, outage, restartAt, windows }: WeekPlan) {
    const coins = trackedCoins.filter(({ coin }) => names.includes(coin))
    const first = windows[0]!
    let writtenUntil = first
    const isInOutage = (time: number) => outage.from <= time && time < outage.to
    const { onWire: servedPorts, ports } = makeWeekPorts({
      seed: "the week",
      coins,
      otherCoins,
      begin: seriesBegin(first, days.candleDays * dayMs),
      derivativesBegin: seriesBegin(first, days.derivativeDays * dayMs),
      volatilityBegin: hourStart(first) - volatilityDays * dayMs,
      newsBegin: first + pollDelayMs - feedDays * dayMs,
      postsBegin: first,
      krwBegin: seriesBegin(first, days.wonDays * dayMs),
      listeningPeriods: () => listeningPeriods({ windows, outage, restartAt, end }, writtenUntil),
      end,
      polled: new Set(windows.filter((time) => !isInOutage(time))),
      pollDelayMs
    })
    const clock = new VirtualClock(first, timeoutsMs)
    // The simulated market stops at the end, so that later requests return the data of the end.
    const servers = yield* Effect.provideService(
      startWeekServers({ market: servedPorts, clock, coins: names }),
      Clock.Clock,
      stopAt(clock, end)
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
        writtenUntil = yield* readLiquidationsUntil(Context.get(running.services, MarketStore))
        yield* running.stop
        // No process runs until a minute before the next window.
        yield* Effect.promise(() => clock.jumpTo(time - minuteMs))
        running = yield* start("second")
      }
      if (isInOutage(time)) servers.fail()
      else servers.heal()
      if (blocked !== undefined && blocked.from <= time && time < blocked.to) servers.block()
      yield* Effect.promise(() => clock.jumpTo(time + pollDelayMs - (time < end ? 0 : eventDelayMs)))
      // The collectors soon request data again that the first response did not contain.
      if (time < end) yield* Effect.promise(() => clock.advanceTo(time + 3 * pollDelayMs))
      // At the end of the week, the clock stops. All collectors then run twice, because the first responses may not
      // contain all data.
      else {
        yield* Effect.promise(() => clock.advanceTo(time + pollDelayMs))
        yield* Effect.promise(() => clock.wakeDueBefore(time + 70_000).then(() => clock.wakeDueBefore(time + 70_000)))
      }
    }
    return { ports, process: running.services }
  }
)
