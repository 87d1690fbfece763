import { Effect } from "effect"
import { quoteText } from "../../engine/text/formatting.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { TokenMarkets } from "../../market/TokenMarkets.ts"
import { searchTokens } from "./searchTokens.ts"

export const handler = handlerOf(
  searchTokens,
  Effect.gen(function*() {
    const tokens = yield* TokenMarkets
    return Effect.fnUntraced(function*({ query, top }) {
      const reading = yield* tokens.search({ text: query.trim(), limit: top + 1 })
      const matches = reading.value
      const shownTokens = matches.slice(0, top)
      const truncated = matches.length > top
      const notes: Array<string> = []
      if (matches.length === 0) notes.push("Nothing matches; try only the ticker, or a part of the name.")
      if (truncated) notes.push("More tokens match; raise `top`, or search for more letters.")
      if (shownTokens.some(({ coin }) => coin === null)) {
        notes.push(
          "A token that is not `listed` may only use the name of another: call get_token with address and chain for warnings."
        )
      }
      return {
        tokens: shownTokens.map((token) => ({
          name: quoteText(token.name, 64),
          coin: quoteText(token.symbol, 64),
          listed: token.coin !== null,
          chain: token.chain,
          address: token.address,
          liquidity_usd: token.liquidityUsd
        })),
        truncated,
        notes,
        ...provenanceOf(reading)
      }
    })
  })
)
