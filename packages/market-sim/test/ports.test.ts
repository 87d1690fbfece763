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
import { waived } from "@tapeline/testing/contracts/waived"
import { makeWorld, SimMarket } from "../src/index.ts"
import { chainIv } from "./support/chainIv.ts"
import { stocks } from "./support/stocks.ts"
import { wonMarkets } from "./support/wonMarkets.ts"

const layer = SimMarket.layer({ seed: "ports" })
/** A Friday, within a session of New York. */
const now = Date.parse("2026-11-20T15:33:22.517Z")
/** A Saturday: the interbank market and the exchanges rest. */
const weekend = Date.parse("2026-11-21T12:00:00.001Z")
const name = "market-sim"

const midnight = Date.parse("2026-11-20")
const outage = waived("it records everything")
const prices = {
  delisted: waived("every coin of it trades on"),
  outage,
  takerless: waived("it tells who took")
}
const derivatives = { stablecoin: "USDT", coverage: "whole", sameVenues: true, outage } as const
coinPricesContract(name, layer, { now, coins: ["BTC", "SUI", "PEPE", "USDT"], ...prices })
coinPricesContract(`${name} at midnight`, layer, { now: midnight, coins: ["ETH"], ...prices })
coinDerivativesContract(name, layer, { now, coins: ["BTC", "SUI"], ...derivatives })
coinDerivativesContract(`${name} at midnight`, layer, { now: midnight, coins: ["ETH"], ...derivatives })
orderBooksContract(name, layer, { now, coins: ["BTC", "SHIB", "USDC"] })
onchainFlowsContract(name, layer, { now, coin: "UNI", outage })
onchainFlowsContract(`${name} at midnight`, layer, { now: midnight, coin: "UNI", outage })
socialFeedContract(name, layer, { now, coin: "DOGE", outage })
socialFeedContract(`${name} at midnight`, layer, { now: midnight, coin: "DOGE", outage })
newsFeedContract(name, layer, { now, coin: "BTC", symbol: "AAPL" })
for (const [when, time] of [["", now], [" at midnight", midnight]] as const) {
  koreanCoinMarketsContract(`${name}${when}`, layer, {
    now: time,
    coin: "XRP",
    unlisted: "DAI",
    outage,
    quoteless: waived("every coin of it is quoted abroad"),
    ...wonMarkets(makeWorld("ports"), time)
  })
}
exchangeRatesContract(name, layer, { now, outage })
exchangeRatesContract(`${name} at midnight`, layer, { now: midnight, outage })
exchangeRatesContract(`${name} at a weekend`, layer, { now: weekend, outage })
impliedVolatilitiesContract(name, layer, {
  now,
  coin: "BTC",
  maturityDays: 7,
  without: "DOGE",
  longer: { maturityDays: 30 },
  chain: chainIv(makeWorld("ports"), "BTC", now, 7)
})
storedEquitiesContract(name, layer, { now, symbol: "AAPL", index: "SPX", delisted: stocks.delistedAmong })
optionsVenueContract(name, layer, { now, coin: "ETH", without: "DOGE" })
equityMarketsContract(name, layer, { now, us: "AAPL", kr: "005930", ...stocks.us })
equityMarketsContract(`${name} at a weekend`, layer, { now: weekend, us: "NVDA", kr: "000660", ...stocks.kr })
tokenMarketsContract(name, layer, { now, coin: "ETH" })
macroCalendarContract(name, layer, { now })
