import { Effect } from "effect"
import { formatCount, quoteText } from "../../engine/text/formatting.ts"
import { ToolFailure } from "../../engine/tool/failure.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { TokenMarkets } from "../../market/TokenMarkets.ts"
import { getToken } from "./getToken.ts"

const makeUnknownAddress = (address: string, chain: string) =>
  new ToolFailure({
    code: "unknown_symbol",
    callerMessage: { key: "unknown_address", params: { address, chain } },
    retryable: false
  })

export const handler = handlerOf(
  getToken,
  Effect.gen(function*() {
    const tokens = yield* TokenMarkets
    return Effect.fnUntraced(function*({ address = "", chain = "", coin }) {
      const reading = yield* coin !== undefined
        ? tokens.token({ coin })
        : Effect.catchTag(
          tokens.token({ address, chain }),
          "UnknownSymbol",
          () => Effect.fail(makeUnknownAddress(address, chain))
        )
      const token = reading.value
      const { circulatingSupply, maxSupply, priceUsd, totalSupply } = token
      const supplyLimit = maxSupply ?? totalSupply
      const { unreadPools = 0 } = token
      const unreportedFields = Object.entries({
        "supply.circulating": circulatingSupply,
        "supply.total": totalSupply,
        fdv_usd: token.fdvUsd,
        ...(unreadPools === 0 ? { liquidity_usd: token.liquidityUsd } : {}),
        holders: token.holders,
        top10_share_pct: token.top10SharePct
      }).flatMap(([name, value]) => value === null ? [name] : [])
      return {
        coin: token.coin,
        ticker: quoteText(token.symbol, 64),
        name: quoteText(token.name, 64),
        chain: token.chain,
        address: token.address,
        price_usd: priceUsd,
        liquidity_usd: token.liquidityUsd,
        supply: { circulating: circulatingSupply, total: totalSupply, max: maxSupply },
        market_cap_usd: circulatingSupply === null ? null : priceUsd * circulatingSupply,
        fdv_usd: token.fdvUsd,
        circulating_pct: circulatingSupply === null || supplyLimit === null
          ? null
          : (100 * circulatingSupply) / supplyLimit,
        holders: token.holders,
        top10_share_pct: token.top10SharePct,
        flags: token.flags,
        unchecked: token.unchecked,
        notes: [
          ...(unreadPools === 0
            ? []
            : [
              `liquidity_usd is null: ${formatCount(unreadPools, "pool")} of the source could not be read.`
            ]),
          ...(unreportedFields.length === 0
            ? []
            : [`Null because no source reports it: ${unreportedFields.join(", ")}.`]),
          ...(token.unchecked.length === 0 ? [] : [`Not checked by any source: ${token.unchecked.join(", ")}.`])
        ],
        ...provenanceOf(reading)
      }
    })
  })
)
