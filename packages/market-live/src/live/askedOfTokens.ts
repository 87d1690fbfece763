import { Effect } from "effect"
import { coinTokens, tradedPlace } from "../sources/dex/coinTokens.ts"
import { DexScreener } from "../sources/dex/DexScreener.ts"
import { GeckoTerminal } from "../sources/dex/GeckoTerminal.ts"
import type { TokenSource } from "../sources/dex/tokenSource.ts"
import type { Probe } from "./question.ts"

const counted = (value: object | null) => value === null ? 0 : 1

/** The probes of one token source: search, token, pools and facts, for a token that every source knows. */
const tokensOf = (source: TokenSource): ReadonlyArray<Probe> => {
  const place = tradedPlace(coinTokens.find(({ coin }) => coin === "ETH")!)!
  return [
    { what: "search", ask: Effect.map(source.search("pepe"), ({ value }) => value.length) },
    { what: "a token", ask: Effect.map(source.token(place), ({ value }) => counted(value)) },
    { what: "pools", ask: Effect.map(source.pools({ ...place, limit: 3 }), ({ value }) => value?.length ?? 0) },
    ...(source.facts === undefined
      ? []
      : [{ what: "facts of a token", ask: Effect.map(source.facts(place), ({ value }) => counted(value)) }])
  ].map((probe) => ({ source: source.source, ...probe }))
}

/** The probes of the token sources. */
export const askedOfTokens = Effect.map(
  Effect.all([GeckoTerminal, DexScreener]),
  (sources) => sources.flatMap(tokensOf)
)
