import { Clock, Effect } from "effect"
import { type FlowSide, optionFlowJob, tradeColumns } from "../../analysis/options/flowJob.ts"
import { Compute } from "../../engine/compute/Compute.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import type { OptionTrade } from "../../market/option.ts"
import { OptionsVenue } from "../../market/OptionsVenue.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { hourMs } from "../../market/timeframe.ts"
import { getOptionFlow } from "./getOptionFlow.ts"

/** The maximum number of trades that are read. */
const most = 50_000

const tradeRow = ({ instrument, ivPct, premiumUsd, side, size, spot, time }: OptionTrade) => ({
  time: instant(time),
  instrument,
  side,
  size,
  premium_usd: premiumUsd,
  iv_pct: ivPct,
  index_price: spot
})

/** Premiums in whole USD, so that the sums match the rounded values. */
const sideRow = ({ boughtUsd, soldUsd, trades }: typeof FlowSide.Type) => ({
  bought_usd: Math.round(boughtUsd),
  sold_usd: Math.round(soldUsd),
  trades
})

export const handler = handlerOf(
  getOptionFlow,
  Effect.gen(function*() {
    const venue = yield* OptionsVenue
    const compute = yield* Compute
    return Effect.fnUntraced(function*({ coin, hours, min_premium_usd, top }) {
      const now = yield* Clock.currentTimeMillis
      const since = now - hours * hourMs
      const read = yield* venue.trades({ coin, from: since, to: now + 1, limit: most })
      const trades = read.value
      const { calls, netDeltaUsd, netVegaUsd, puts } = yield* compute.run(optionFlowJob, tradeColumns(trades))
      const [ofCalls, ofPuts] = [calls.boughtUsd + calls.soldUsd, puts.boughtUsd + puts.soldUsd]
      const rows = { calls: sideRow(calls), puts: sideRow(puts) }
      const large = trades.filter(({ premiumUsd }) => premiumUsd >= min_premium_usd)
      const shown = large.toSorted((a, b) => b.premiumUsd - a.premiumUsd || b.time - a.time).slice(0, top)
      const cut = trades.length >= most
      const notes: Array<string> = []
      if (cut) notes.push(`Only the newest ${most} trades are counted, those since \`from\`; ask for fewer hours.`)
      if (trades.length === 0) notes.push(`No options were dealt in the last ${hours} hours.`)
      else if (large.length === 0) notes.push("No trade reached min_premium_usd.")
      if (shown.length < large.length) {
        notes.push(`${shown.length} of ${large.length} trades are listed; raise \`top\` or \`min_premium_usd\`.`)
      }
      return {
        coin,
        from: instant(cut ? trades[0]!.time : since),
        n: trades.length,
        premium_usd: rows.calls.bought_usd + rows.calls.sold_usd + rows.puts.bought_usd + rows.puts.sold_usd,
        ...rows,
        net_delta_usd: netDeltaUsd,
        net_vega_usd: netVegaUsd,
        call_put_premium_ratio: ofPuts > 0 ? ofCalls / ofPuts : null,
        trades: shown.map(tradeRow),
        notes,
        ...provenanceOf(read)
      }
    })
  })
)
