/** A fake of Deribit over core's ports, according to Deribit's documentation. */
import type { ImpliedVolatilities, OptionsVenue } from "@tapeline/core/market"
import { Effect } from "effect"
import type { WireRequest } from "../WireRequest.ts"
import type { Speaks, WireAnswer } from "../WireServer.ts"
import { bookSummary, type SummaryPorts } from "./summaries.ts"
import { optionTrades, recentReachMs } from "./trades.ts"
import { volatilityIndex } from "./volatilityIndex.ts"

/** The ports behind the fake. */
export interface DeribitPorts extends SummaryPorts {
  readonly volatilities: ImpliedVolatilities["Service"]
}

const speaking =
  (answers: Readonly<Record<string, (request: WireRequest) => Effect.Effect<WireAnswer>>>): Speaks => (request) =>
    answers[request.path.replace("/api/v2/public/", "")]?.(request) ?? Effect.succeed(null)

/** Serves Deribit's API with the trades of a day. */
export const deribit = (ports: DeribitPorts): Speaks =>
  speaking({
    get_book_summary_by_currency: (request) => bookSummary(ports, request),
    get_last_trades_by_currency_and_time: optionTrades(ports.options, 1_000, recentReachMs),
    get_volatility_index_data: volatilityIndex(ports.volatilities)
  })

/** Serves Deribit's history API, which has all trades. */
export const deribitHistory = (options: OptionsVenue["Service"]): Speaks =>
  speaking({ get_last_trades_by_currency_and_time: optionTrades(options, 10_000, Infinity) })
