import { minuteMs } from "@tapeline/core/market"
import { Clock, Effect, Layer } from "effect"
import { SourceHealth, type SourceState } from "../source/index.ts"
import { networkAdvice, type Outage, outageOf } from "./network.ts"

/** The interval at which the states are checked. */
const everyMs = 5_000

/** A source that fails for less than this, and can be requested again, does not count as unavailable. */
const passingMs = 10_000

/** The maximum number of log lines per source within a window, so that an unstable source does not fill the log. */
const most = { lines: 6, windowMs: 60 * minuteMs }

/** The last state of a source that was logged. */
interface Said {
  /** The failure that was logged; null if the source was available. */
  readonly failure: string | null
  /** The times of lines within the window. */
  readonly lines: ReadonlyArray<number>
}

interface Known {
  readonly said: Said
  /** When the present or the last outage began, whether it was logged or not. */
  readonly since: number
}

const nothingSaid: Said = { failure: null, lines: [] }

const failureOf = ({ lastFault, state }: SourceState): string | null =>
  state === "up" ? null : state === "blocked" ? "blocked" : lastFault?.failure ?? state

const lengthOf = (ms: number): string =>
  ms < 2 * minuteMs ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / minuteMs)} min`

const instant = (at: number): string => new Date(at).toISOString()

const awayLine = ({ lastFault, lastSuccessAt, source }: SourceState, failure: string, since: number): string => {
  const answered = lastSuccessAt === null ? "it never answered here" : `its last answer came ${instant(lastSuccessAt)}`
  const why = lastFault === null ? failure : `${failure}, ${lastFault.reason}`
  return `the source ${source} is away since ${instant(since)}: ${why} (${answered})`
}

/** A state that may have to be logged, of one source or of the whole network. */
interface News {
  readonly failure: string | null
  readonly away: (failure: string, since: number) => string
  readonly back: (forMs: number) => string
}

const newsOfSource = (state: SourceState): News => ({
  failure: failureOf(state),
  away: (failure, since) => awayLine(state, failure, since),
  back: (forMs) => `the source ${state.source} answers again: it was away for ${lengthOf(forMs)}`
})

const newsOfNetwork = (outage: Outage | undefined): News => ({
  failure: outage === undefined ? null : "unreachable",
  away: (failure, since) =>
    `no source can be reached since ${instant(since)}: ${failure}, ${outage?.reason ?? failure}; ${networkAdvice}`,
  back: (forMs) => `sources can be reached again: none could for ${lengthOf(forMs)}`
})

/** The line that must be logged now, with the new logged state. Undefined if nothing must be logged. */
const lineOf = ({ said, since }: Known, news: News, now: number): readonly [line: string, Said] | undefined => {
  const { away, back, failure } = news
  if (failure === said.failure) return undefined
  const isPassing = failure !== null && failure !== "blocked" && now - since < passingMs
  const lines = said.lines.filter((at) => now - at < most.windowMs && at <= now)
  if (isPassing || lines.length >= most.lines) return undefined
  const line = failure === null ? back(now - since) : away(failure, since)
  return [line, { failure, lines: [...lines, now] }]
}

/** The key of the network's state. No source has this name. */
const network = ""

/**
 * Logs when a source becomes unavailable, when the reason changes, and when it is available again. Each source gets at
 * most six lines an hour. A further line is logged later, if it still applies. If no source can be reached, one line
 * reports it for all of them.
 */
export const layerSourceNews: Layer.Layer<never, never, SourceHealth> = Layer.effectDiscard(
  Effect.gen(function*() {
    const { states } = yield* SourceHealth
    const known = new Map<string, Known>()
    const tell = Effect.fnUntraced(function*(name: string, news: News, since: number | null, now: number) {
      const before = known.get(name)
      const one = { said: before?.said ?? nothingSaid, since: since ?? before?.since ?? now }
      const [line, said] = lineOf(one, news, now) ?? [undefined, one.said]
      known.set(name, { said, since: one.since })
      if (line !== undefined) yield* said.failure === null ? Effect.logInfo(line) : Effect.logWarning(line)
    })
    const look = Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const all = (yield* states).filter(({ state }) => state !== "unknown")
      const outage = outageOf(all)
      yield* tell(network, newsOfNetwork(outage), outage?.since ?? null, now)
      if (outage !== undefined) return
      for (const state of all) yield* tell(state.source, newsOfSource(state), state.awaySince, now)
    })
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, Effect.sleep(everyMs))))
  })
)
