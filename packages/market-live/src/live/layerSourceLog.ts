import { minuteMs } from "@tapeline/core/market"
import { Clock, Effect, Layer } from "effect"
import { SourceHealth, type SourceState } from "../source/index.ts"
import { networkAdvice, type Outage, outageOf } from "./network.ts"

const everyMs = 5_000

/** The minimum duration of a logged outage, unless the source is blocked. */
const minOutageMs = 10_000

/**
 * The maximum number of log lines per source within a time window, so that an unstable source does not fill the log.
 */
const logLimit = { maxLines: 6, windowMs: 60 * minuteMs }

interface LoggedState {
  /** The logged failure, or null if the source was available. */
  readonly failure: string | null
  readonly lineTimes: ReadonlyArray<number>
}

interface SourceLogState {
  readonly logged: LoggedState
  /** The start of the current or last outage, even if the outage was not logged. */
  readonly since: number
}

const nothingLogged: LoggedState = { failure: null, lineTimes: [] }

const failureOf = ({ lastFault, state }: SourceState): string | null =>
  state === "up" ? null : state === "blocked" ? "blocked" : lastFault?.failure ?? state

const formatDuration = (ms: number): string =>
  ms < 2 * minuteMs ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / minuteMs)} min`

const formatInstant = (at: number): string => new Date(at).toISOString()

const outageLine = ({ lastFault, lastSuccessAt, source }: SourceState, failure: string, since: number): string => {
  const answered = lastSuccessAt === null
    ? "no response yet"
    : `last response ${formatInstant(lastSuccessAt)}`
  const why = lastFault === null ? failure : `${failure}, ${lastFault.reason}`
  return `the source ${source} is unavailable since ${formatInstant(since)}: ${why} (${answered})`
}

interface StateChange {
  readonly failure: string | null
  readonly describeOutage: (failure: string, since: number) => string
  readonly describeRecovery: (forMs: number) => string
}

const sourceChange = (state: SourceState): StateChange => ({
  failure: failureOf(state),
  describeOutage: (failure, since) => outageLine(state, failure, since),
  describeRecovery: (forMs) => `the source ${state.source} is available again after ${formatDuration(forMs)}`
})

const networkChange = (outage: Outage | undefined): StateChange => ({
  failure: outage === undefined ? null : "unreachable",
  describeOutage: (failure, since) =>
    `no source is reachable since ${formatInstant(since)}: ${failure}, ${outage?.reason ?? failure}; ${networkAdvice}`,
  describeRecovery: (forMs) => `sources are reachable again after ${formatDuration(forMs)}`
})

/** Returns the next line to log, and the source state that the line reports. Returns undefined if no line is due. */
const nextLine = (
  { logged, since }: SourceLogState,
  change: StateChange,
  now: number
): readonly [line: string, LoggedState] | undefined => {
  const { describeOutage, describeRecovery, failure } = change
  if (failure === logged.failure) return undefined
  const isTooShort = failure !== null && failure !== "blocked" && now - since < minOutageMs
  const lines = logged.lineTimes.filter((at) => now - at < logLimit.windowMs && at <= now)
  if (isTooShort || lines.length >= logLimit.maxLines) return undefined
  const line = failure === null ? describeRecovery(now - since) : describeOutage(failure, since)
  return [line, { failure, lineTimes: [...lines, now] }]
}

/** The map key for the state of the whole network, different from every source name. */
const networkKey = ""

/**
 * Logs when a source becomes unavailable, when the reason changes, and when the source is available again, at most six
 * times an hour per source. If no source is reachable, one line reports the outage for all sources.
 */
export const layerSourceLog: Layer.Layer<never, never, SourceHealth> = Layer.effectDiscard(
  Effect.gen(function*() {
    const { states } = yield* SourceHealth
    const known = new Map<string, SourceLogState>()
    const logChange = Effect.fnUntraced(
      function*(name: string, change: StateChange, since: number | null, now: number) {
        const before = known.get(name)
        const current = { logged: before?.logged ?? nothingLogged, since: since ?? before?.since ?? now }
        const [line, logged] = nextLine(current, change, now) ?? [undefined, current.logged]
        known.set(name, { logged, since: current.since })
        if (line !== undefined) yield* logged.failure === null ? Effect.logInfo(line) : Effect.logWarning(line)
      }
    )
    const checkStates = Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const all = (yield* states).filter(({ state }) => state !== "unknown")
      const outage = outageOf(all)
      yield* logChange(networkKey, networkChange(outage), outage?.since ?? null, now)
      if (outage !== undefined) return
      for (const state of all) yield* logChange(state.source, sourceChange(state), state.unavailableSince, now)
    })
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(checkStates, Effect.sleep(everyMs))))
  })
)
