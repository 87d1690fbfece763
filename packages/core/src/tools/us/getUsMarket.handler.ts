import { ivPercentile } from "@tapeline/quant/options"
import { Effect } from "effect"
import { toIndexRow, toMarketRow, toNamedIndexRow } from "../../analysis/equities/resultRows.ts"
import { rankedVixSessions } from "../../analysis/equities/vixRank.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { provenanceOf, sourceText } from "../../market/provenance.ts"
import { makeReading } from "../../market/reading.ts"
import { StoredEquities } from "../../market/StoredEquities.ts"
import { getUsMarket } from "./getUsMarket.ts"

const minSessions = 20

export const handler = handlerOf(
  getUsMarket,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    const stored = yield* StoredEquities
    /** Returns the closes of the volatility index in earlier sessions, or null if no session is recorded. */
    const readCloses = Effect.fnUntraced(
      function*() {
        const { asOf, sources, value } = yield* stored.indexHistory({ index: "VIX", bars: rankedVixSessions + 1 })
        const closed = value.filter((candle) => candle.closed).slice(-rankedVixSessions)
        return makeReading(closed.map(({ close }) => close), sources, asOf)
      },
      Effect.catchTags({
        NoData: () => Effect.succeed(null),
        UnknownSymbol: () => Effect.succeed(null)
      })
    )
    return Effect.fnUntraced(function*() {
      const sourceReading = yield* equities.market("US")
      const { futures, indices } = sourceReading.value
      const vix = indices.find(({ index }) => index === "VIX")
      const history = vix === undefined ? null : yield* readCloses()
      const n = history?.value.length ?? 0
      const percentile = vix === undefined || history === null || n < minSessions
        ? null
        : ivPercentile(vix.value, history.value)
      const notes: Array<string> = []
      if (vix === undefined) notes.push("vix is null: no source reports it.")
      else if (percentile === null) {
        notes.push(`vix.percentile is null: fewer than ${minSessions} sessions are recorded.`)
      }
      return {
        indices: indices.filter(({ index }) => index !== "VIX").map(toNamedIndexRow),
        vix: vix === undefined ? null : { ...toIndexRow(vix), percentile, n },
        ...toMarketRow(sourceReading.value),
        futures: futures.map(toNamedIndexRow),
        notes,
        ...provenanceOf(sourceReading),
        source: history === null ? sourceText(sourceReading) : sourceText(sourceReading, history)
      }
    })
  })
)
