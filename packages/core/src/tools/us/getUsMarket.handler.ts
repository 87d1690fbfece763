import { ivPercentile } from "@tapeline/quant/options"
import { Effect } from "effect"
import { indexRow, marketRow, namedIndexRow } from "../../analysis/equities/marketRows.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { provenanceOf, sourceOf } from "../../market/provenance.ts"
import { reading } from "../../market/reading.ts"
import { StoredEquities } from "../../market/StoredEquities.ts"
import { getUsMarket } from "./getUsMarket.ts"

/** The number of sessions among which the volatility index is ranked. */
const rankedSessions = 60
/** The minimum number of sessions for a rank. */
const leastSessions = 20

export const handler = handlerOf(
  getUsMarket,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    const stored = yield* StoredEquities
    /** Returns closes of the volatility index in earlier sessions; null if no session is recorded. */
    const closes = Effect.fnUntraced(
      function*() {
        const { asOf, sources, value } = yield* stored.indexHistory({ index: "VIX", bars: rankedSessions + 1 })
        const closed = value.filter((candle) => candle.closed).slice(-rankedSessions)
        return reading(closed.map(({ close }) => close), sources, asOf)
      },
      Effect.catchTags({
        NoData: () => Effect.succeed(null),
        UnknownSymbol: () => Effect.succeed(null)
      })
    )
    return Effect.fnUntraced(function*() {
      const read = yield* equities.market("US")
      const { futures, indices } = read.value
      const vix = indices.find(({ index }) => index === "VIX")
      const history = vix === undefined ? null : yield* closes()
      const n = history?.value.length ?? 0
      const percentile = vix === undefined || history === null || n < leastSessions
        ? null
        : ivPercentile(vix.value, history.value)
      const notes: Array<string> = []
      if (vix === undefined) notes.push("vix is null: no source tells it.")
      else if (percentile === null) {
        notes.push(`vix.percentile is null: fewer than ${leastSessions} sessions of it are recorded.`)
      }
      return {
        indices: indices.filter(({ index }) => index !== "VIX").map(namedIndexRow),
        vix: vix === undefined ? null : { ...indexRow(vix), percentile, n },
        ...marketRow(read.value),
        futures: futures.map(namedIndexRow),
        notes,
        ...provenanceOf(read),
        source: history === null ? sourceOf(read) : sourceOf(read, history)
      }
    })
  })
)
