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
import { SimMarket } from "../src/index.ts"

const layer = SimMarket.layer({ seed: "ports" })
/** A Friday, within a session of New York. */
const now = Date.parse("2026-11-20T15:33:22.517Z")
/** A Saturday: the interbank market and the exchanges rest. */
const weekend = Date.parse("2026-11-21T12:00:00.001Z")
const name = "market-sim"

coinPricesContract(name, layer, { now, coins: ["BTC", "SUI", "PEPE", "USDT"] })
coinPricesContract(`${name} at midnight`, layer, { now: Date.parse("2026-11-20"), coins: ["ETH"] })
coinDerivativesContract(name, layer, { now, coins: ["BTC", "SUI"], stablecoin: "USDT" })
orderBooksContract(name, layer, { now, coins: ["BTC", "SHIB", "USDC"] })
onchainFlowsContract(name, layer, { now, coin: "UNI" })
socialFeedContract(name, layer, { now, coin: "DOGE" })
newsFeedContract(name, layer, { now, coin: "BTC", symbol: "AAPL" })
koreanCoinMarketsContract(name, layer, { now, coin: "XRP", unlisted: "DAI" })
exchangeRatesContract(name, layer, { now })
exchangeRatesContract(`${name} at a weekend`, layer, { now: weekend })
impliedVolatilitiesContract(name, layer, { now, coin: "BTC", maturityDays: 7, without: "DOGE" })
storedEquitiesContract(name, layer, { now, symbol: "AAPL", index: "SPX" })
optionsVenueContract(name, layer, { now, coin: "ETH", without: "DOGE" })
equityMarketsContract(name, layer, { now, us: "AAPL", kr: "005930" })
equityMarketsContract(`${name} at a weekend`, layer, { now: weekend, us: "NVDA", kr: "000660" })
tokenMarketsContract(name, layer, { now, coin: "ETH" })
macroCalendarContract(name, layer, { now })
