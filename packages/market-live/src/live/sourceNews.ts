import { minuteMs } from "@tapeline/core/market"
import { Clock, Effect, Layer } from "effect"
import { SourceHealth, type SourceState } from "../source/index.ts"

/** So often sources are looked at. */
const everyMs = 5_000

/** One that fails for less than this, and may be asked again by then, is not away. */
const passingMs = 10_000

/** Lines of one source within a window: one that comes and goes fills no log. */
const most = { lines: 6, windowMs: 60 * minuteMs }

/** What the log said last of a source. */
interface Said {
  /** How it failed; null of one that answers. */
  readonly failure: string | null
  /** When lines were written, as far as the window reaches. */
  readonly lines: ReadonlyArray<number>
}

interface Known {
  readonly said: Said
  /** Since when it is away, or was the last time, whether that was said or not. */
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

/** What is to be said of a source now, and how it was said; undefined where there is no news. */
const newsOf = ({ said, since }: Known, state: SourceState, now: number): readonly [line: string, Said] | undefined => {
  const failure = failureOf(state)
  if (failure === said.failure) return undefined
  const isPassing = failure !== null && failure !== "blocked" && now - since < passingMs
  const lines = said.lines.filter((at) => now - at < most.windowMs && at <= now)
  if (isPassing || lines.length >= most.lines) return undefined
  const line = failure === null
    ? `the source ${state.source} answers again: it was away for ${lengthOf(now - since)}`
    : awayLine(state, failure, since)
  return [line, { failure, lines: [...lines, now] }]
}

/**
 * Tells the log once when a source goes away, when that it does is for another reason, and when it is back: of each
 * source at most six lines an hour, the last of which is said when there is room again, if it is still so.
 */
export const layerSourceNews: Layer.Layer<never, never, SourceHealth> = Layer.effectDiscard(
  Effect.gen(function*() {
    const { states } = yield* SourceHealth
    const known = new Map<string, Known>()
    const look = Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      for (const state of yield* states) {
        if (state.state === "unknown") continue
        const before = known.get(state.source)
        const since = state.awaySince ?? before?.since ?? now
        const one = { said: before?.said ?? nothingSaid, since }
        const [line, said] = newsOf(one, state, now) ?? [undefined, one.said]
        known.set(state.source, { said, since })
        if (line !== undefined) yield* said.failure === null ? Effect.logInfo(line) : Effect.logWarning(line)
      }
    })
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, Effect.sleep(everyMs))))
  })
)
