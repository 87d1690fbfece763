import { Clock, Effect } from "effect"
import { readAllTransfers } from "../../analysis/onchain/whaleTransfers.ts"
import { quoteText } from "../../engine/text/formatting.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { hourMs } from "../../market/timeframe.ts"
import type { TransferKind } from "../../market/token.ts"
import { TokenMarkets } from "../../market/TokenMarkets.ts"
import { getWhaleTransfers } from "./getWhaleTransfers.ts"

export const handler = handlerOf(
  getWhaleTransfers,
  Effect.gen(function*() {
    const tokens = yield* TokenMarkets
    return Effect.fnUntraced(function*({ coin, hours, min_usd, top }) {
      const now = yield* Clock.currentTimeMillis
      const from = now - hours * hourMs
      const reading = yield* readAllTransfers(tokens, { coin, from, to: now + 1, minUsd: min_usd })
      const { completeFrom, transfers } = reading.value
      // Each kind is rounded to whole dollars, so that the sums match the rounded values.
      const by_kind = [...Map.groupBy(transfers, ({ kind }) => kind)].map(([kind, group]) => ({
        kind,
        n: group.length,
        usd: Math.round(group.reduce((sum, { usd }) => sum + usd, 0))
      })).sort((a, b) => b.usd - a.usd)
      const usdOfKind = (kind: TransferKind): number => by_kind.find((one) => one.kind === kind)?.usd ?? 0
      const notes: Array<string> = []
      if (completeFrom > from) {
        notes.push(`There are too many transfers: those before ${formatInstant(completeFrom)} are omitted.`)
      }
      if (transfers.length > top) notes.push(`The ${top} largest of ${transfers.length} are listed; sums count all.`)
      return {
        coin,
        from: formatInstant(completeFrom),
        transfers: transfers.toSorted((a, b) => b.usd - a.usd || b.time - a.time).slice(0, top).map((transfer) => ({
          time: formatInstant(transfer.time),
          from: quoteText(transfer.from, 64),
          to: quoteText(transfer.to, 64),
          amount: transfer.amount,
          usd: transfer.usd,
          kind: transfer.kind,
          hash: transfer.hash
        })),
        n: transfers.length,
        total_usd: by_kind.reduce((sum, { usd }) => sum + usd, 0),
        exchange_in_usd: usdOfKind("exchange_in"),
        exchange_out_usd: usdOfKind("exchange_out"),
        exchange_net_usd: usdOfKind("exchange_in") - usdOfKind("exchange_out"),
        by_kind,
        notes,
        ...provenanceOf(reading)
      }
    })
  })
)
