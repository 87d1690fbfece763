import type { ImpliedVolatilities, OptionsVenue } from "@tapeline/core/market"
import { Effect } from "effect"
import type { FakeRequest } from "../server/FakeRequest.ts"
import type { FakeResponse, RequestHandler } from "../server/FakeServer.ts"
import { bookSummary, type SummaryPorts } from "./summaries.ts"
import { recentRetentionMs, serveOptionTrades } from "./trades.ts"
import { serveVolatilityIndex } from "./volatilityIndex.ts"

/** The market ports from which the fake Deribit API reads its data. */
export interface DeribitPorts extends SummaryPorts {
  readonly volatilities: ImpliedVolatilities["Service"]
}

const makeHandler =
  (answers: Readonly<Record<string, (request: FakeRequest) => Effect.Effect<FakeResponse>>>): RequestHandler =>
  (request) => answers[request.path.replace("/api/v2/public/", "")]?.(request) ?? Effect.succeed(null)

/** Creates a fake of Deribit's API with the option trades of the last day, according to Deribit's documentation. */
export const makeDeribit = (ports: DeribitPorts): RequestHandler =>
  makeHandler({
    get_book_summary_by_currency: (request) => bookSummary(ports, request),
    get_last_trades_by_currency_and_time: serveOptionTrades(ports.options, 1_000, recentRetentionMs),
    get_volatility_index_data: serveVolatilityIndex(ports.volatilities)
  })

/** Creates a fake of Deribit's history API, which has all option trades. */
export const makeDeribitHistory = (options: OptionsVenue["Service"]): RequestHandler =>
  makeHandler({ get_last_trades_by_currency_and_time: serveOptionTrades(options, 10_000, Infinity) })
