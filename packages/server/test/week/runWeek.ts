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
  /** The end of the week, a full hour. */
  readonly end: number
  /** Every source is away. */
  readonly outage: Gap
  /** Binance does not serve this place meanwhile, and Bybit stands in. */
  readonly blocked?: Gap
  /** The process ends at the last window before it, and another one begins on what it left. */
  readonly restartAt: number
  /** Instants between which nobody has a turn, ascending; the first begins the week, and `end` is the last. */
  readonly windows: ReadonlyArray<number>
}

const days = { candleDays: 40, priceDays: 7, derivativeDays: 29, wonDays: 9 }

/** Of an index of volatility so much is told that it has a rank. */
const volatilityDays = 100
const hourStart = (time: number): number => Math.floor(time / hourMs) * hourMs
const fineMs = 300_000

/** So long after an instant all that is of it can be asked for. */
const afterMs = 4_500

/** A stream says how far it has come once a second. */
const heardMs = 1_100

/** Coins without a lasting market against the won, of which some open, and one closes, in the week. */
const otherCoins = ["BNB", "WIF", "JUP", "FIL"]

/** A clock that goes with another one, up to an instant. */
const cutOff = (clock: VirtualClock, end: number): Clock.Clock => clockOf(clock, (now) => Math.min(end, now))

/** A stream says all of a second when it is over. */
const saidMs = 1_000

/** Until when liquidations are written: what was heard since is lost with who heard it. */
const liquidationsUntil = (store: MarketStore["Service"]) =>
  Effect.map(
    Effect.orDie(store.recorded({ kind: eventsKinds.liquidations })),
    (records) => Math.min(...Array.from(records.values(), ({ contiguousUntil }) => contiguousUntil))
  )

/**
 * When a stream is listened to: from the beginning of each process until what it wrote last, and from the first window
 * after an outage on.
 */
const listenedIn = (
  { end, outage, restartAt, windows }: Pick<WeekPlan, "end" | "outage" | "restartAt" | "windows">,
  writtenUntil: number
): Listened => {
  const first = windows[0]!
  const [again, away, back] = [restartAt, outage.from, outage.to].map((time) => windows.find((at) => at >= time))
  // Its seconds begin with a connection, and at each turn anew.
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

/** What recorded of the market begins with: what the first questions ask for. */
const beginningOf = (first: number, back: number): number => Math.floor((first + afterMs - back) / fineMs) * fineMs

/**
 * A week of sources that have the simulated market: they are served on the wire, and collected by a process that is
 * stopped once, while all of them are away once. Gives the process that is left, and the market itself.
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
    // The market stands still at the end, so that what is asked for a moment later is of that instant.
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
        // Nobody runs until shortly before anybody has a turn again.
        yield* Effect.promise(() => clock.leap(time - minuteMs))
        running = yield* start("second")
      }
      if (isAway(time)) servers.fail()
      else servers.heal()
      if (blocked !== undefined && blocked.from <= time && time < blocked.to) servers.block()
      yield* Effect.promise(() => clock.leap(time + afterMs - (time < end ? 0 : heardMs)))
      // What a first answer leaves over is asked for soon after.
      if (time < end) yield* Effect.promise(() => clock.pass(time + 3 * afterMs))
      // At the end nobody's time is over yet: who is listened to says so, and everybody has a turn, and another for
      // what that leaves over.
      else {
        yield* Effect.promise(() => clock.pass(time + afterMs))
        yield* Effect.promise(() => clock.hurry(time + 70_000).then(() => clock.hurry(time + 70_000)))
      }
    }
    return { ports, process: running.services }
  }
)
