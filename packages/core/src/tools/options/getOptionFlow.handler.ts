import { Clock, Effect } from "effect"
import { type FlowSide, optionFlowJob, toTradeColumns } from "../../analysis/options/optionFlowJob.ts"
import { Compute } from "../../engine/compute/Compute.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import type { OptionTrade } from "../../market/option.ts"
import { OptionsVenue } from "../../market/OptionsVenue.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { hourMs } from "../../market/timeframe.ts"
import { getOptionFlow } from "./getOptionFlow.ts"

const maxTrades = 50_000

const toTradeRow = ({ instrument, ivPct, premiumUsd, side, size, spot, time }: OptionTrade) => ({
  time: formatInstant(time),
  instrument,
  side,
  size,
  premium_usd: premiumUsd,
  iv_pct: ivPct,
  index_price: spot
})

/**
 * Converts one side of the option flow to a result row. Amounts are rounded to whole USD, so that the totals match the
 * rows.
 */
const toSideRow = ({ boughtUsd, soldUsd, trades }: typeof FlowSide.Type) => ({
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
      const reading = yield* venue.trades({ coin, from: since, to: now + 1, limit: maxTrades })
      const trades = reading.value
      const { calls, netDeltaUsd, netVegaUsd, puts } = yield* compute.run(optionFlowJob, toTradeColumns(trades))
      const [callPremium, putPremium] = [calls.boughtUsd + calls.soldUsd, puts.boughtUsd + puts.soldUsd]
      const rows = { calls: toSideRow(calls), puts: toSideRow(puts) }
      const largeTrades = trades.filter(({ premiumUsd }) => premiumUsd >= min_premium_usd)
      const shownTrades = largeTrades.toSorted((a, b) => b.premiumUsd - a.premiumUsd || b.time - a.time).slice(0, top)
      const isCut = trades.length >= maxTrades
      const notes: Array<string> = []
      if (isCut) {
        notes.push(`Only the newest ${maxTrades} trades are counted, those since \`from\`; request fewer hours.`)
      }
      if (trades.length === 0) notes.push(`No options were traded in the last ${hours} hours.`)
      else if (largeTrades.length === 0) notes.push("No trade reached min_premium_usd.")
      if (shownTrades.length < largeTrades.length) {
        notes.push(
          `${shownTrades.length} of ${largeTrades.length} trades are listed; raise \`top\` or \`min_premium_usd\`.`
        )
      }
      return {
        coin,
        from: formatInstant(isCut ? trades[0]!.time : since),
        n: trades.length,
        premium_usd: rows.calls.bought_usd + rows.calls.sold_usd + rows.puts.bought_usd + rows.puts.sold_usd,
        ...rows,
        net_delta_usd: netDeltaUsd,
        net_vega_usd: netVegaUsd,
        call_put_premium_ratio: putPremium > 0 ? callPremium / putPremium : null,
        trades: shownTrades.map(toTradeRow),
        notes,
        ...provenanceOf(reading)
      }
    })
  })
)
