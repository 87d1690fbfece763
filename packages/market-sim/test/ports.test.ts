import { coinDerivativesContract } from "@tapeline/testing/contracts/coinDerivatives"
import { coinPricesContract } from "@tapeline/testing/contracts/coinPrices"
import { equityMarketsContract } from "@tapeline/testing/contracts/equityMarkets"
import { exchangeRatesContract } from "@tapeline/testing/contracts/exchangeRates"
import { impliedVolatilitiesContract } from "@tapeline/testing/contracts/impliedVolatilities"
import { koreanCoinMarketsContract } from "@tapeline/testing/contracts/koreanCoinMarkets"
import { macroCalendarContract } from "@tapeline/testing/contracts/macroCalendar"
import { newsFeedContract } from "@tapeline/testing/contracts/newsFeed"
import { onchainFlowsContract } from "@tapeline/testing/contracts/onchainFlows"
import { optionsVenueContract } from "@tapeline/testing/contracts/optionsVenue"
import { orderBooksContract } from "@tapeline/testing/contracts/orderBooks"
import { socialFeedContract } from "@tapeline/testing/contracts/socialFeed"
import { storedEquitiesContract } from "@tapeline/testing/contracts/storedEquities"
import { tokenMarketsContract } from "@tapeline/testing/contracts/tokenMarkets"
import { waive } from "@tapeline/testing/contracts/waiver"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Layer } from "effect"
import { makeWorld, SimMarket } from "../src/index.ts"
import { computeChainIv } from "./support/chainIv.ts"
import { getRecentKrwListings } from "./support/krwListings.ts"
import { stocks } from "./support/stocks.ts"

const world = makeWorld("ports")
const layer = Layer.succeedContext(SimMarket.makePorts(world))
/** A Friday during a New York session. */
const now = Date.parse("2026-11-20T15:33:22.517Z")
/** A Saturday, when the interbank market and the exchanges are closed. */
const weekend = Date.parse("2026-11-21T12:00:00.001Z")
const name = "market-sim"

const computed = waive("it computes its past")
const outage = waive("records without gaps")

const coinSuites = (
  description: string,
  now: number,
  [coin, ...coins]: readonly [string, ...ReadonlyArray<string>]
) => {
  const at = `${name}${description}`
  coinPricesContract(at, layer, {
    now,
    coins: [coin, ...coins],
    delisted: waive("no coin was delisted"),
    outage,
    backfill: computed,
    takerless: waive("it tells who took")
  })
  coinDerivativesContract(at, layer, {
    now,
    coins: [coin, "SUI"],
    stablecoin: "USDT",
    coverage: "whole",
    sameVenues: true,
    outage,
    backfill: computed
  })
  onchainFlowsContract(at, layer, { now, coin: "UNI", outage })
  socialFeedContract(at, layer, { now, coin: "DOGE", outage, backfill: computed })
  koreanCoinMarketsContract(at, layer, {
    now,
    coin: "XRP",
    unlisted: "DAI",
    outage,
    quoteless: waive("every coin has a USDT price"),
    ...getRecentKrwListings(world, now)
  })
  exchangeRatesContract(at, layer, { now, outage })
}

coinSuites("", now, ["BTC", "SUI", "PEPE", "USDT"])
coinSuites(" at midnight", Date.parse("2026-11-20"), ["ETH"])
if (isFullRun) {
  for (const time of ["2026-11-20T16:00:00.000Z", "2026-11-20T00:05:00.000Z", "2026-03-02T23:59:59.999Z"]) {
    coinSuites(` at ${time}`, Date.parse(time), ["SOL"])
  }
}
orderBooksContract(name, layer, { now, coins: ["BTC", "SHIB", "USDC"] })
exchangeRatesContract(`${name} at a weekend`, layer, { now: weekend, outage })
impliedVolatilitiesContract(name, layer, {
  now,
  coin: "BTC",
  maturityDays: 7,
  coinWithoutOptions: "DOGE",
  longerMaturity: { maturityDays: 30 },
  chain: computeChainIv(world, "BTC", now, 7)
})
equityMarketsContract(`${name} at a weekend`, layer, { now: weekend, us: "NVDA", kr: "000660", ...stocks.kr })
// The usual run checks the following contracts only over the venue with gaps.
if (isFullRun) {
  newsFeedContract(name, layer, { now, coin: "BTC", symbol: "AAPL" })
  storedEquitiesContract(name, layer, { now, symbol: "AAPL", index: "SPX", delisted: stocks.delistedStock })
  optionsVenueContract(name, layer, { now, coin: "ETH", coinWithoutOptions: "DOGE" })
  equityMarketsContract(name, layer, { now, us: "AAPL", kr: "005930", ...stocks.us })
  tokenMarketsContract(name, layer, { now, coin: "ETH" })
  macroCalendarContract(name, layer, { now })
}
