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
import { computeChainIv } from "./support/chainIv.ts"
import { getRecentKrwListings } from "./support/krwListings.ts"
import { laterTimes, layerGappyMarket, makeStoredVenue, now, outage, testWorld } from "./support/markets.ts"
import { stocks } from "./support/stocks.ts"

const name = "a venue with gaps"

const prices = makeStoredVenue("BTC")
coinPricesContract(name, prices.layer, {
  now,
  backfill: prices.backfill,
  laterTimes,
  coins: ["BTC", "XRP", "SOL"],
  delisted: "LTC",
  outage,
  takerless: "XRP"
})
const derivatives = makeStoredVenue("SOL")
coinDerivativesContract(name, derivatives.layer, {
  now,
  backfill: derivatives.backfill,
  laterTimes,
  coins: ["BTC", "XRP", "SOL", "DOGE"],
  stablecoin: "USDT",
  coverage: "sampled",
  sameVenues: true,
  outage
})
orderBooksContract(name, layerGappyMarket, { now, coins: ["BTC"] })
onchainFlowsContract(name, layerGappyMarket, { now, coin: "UNI", outage })
const social = makeStoredVenue("DOGE")
socialFeedContract(name, social.layer, { now, laterTimes, backfill: social.backfill, coin: "DOGE", outage })
newsFeedContract(name, layerGappyMarket, { now, coin: "BTC", symbol: "AAPL" })
koreanCoinMarketsContract(name, layerGappyMarket, {
  now,
  coin: "XRP",
  unlisted: "DAI",
  outage,
  quoteless: "XRP",
  ...getRecentKrwListings(testWorld, now)
})
exchangeRatesContract(name, layerGappyMarket, { now, outage })
impliedVolatilitiesContract(name, layerGappyMarket, {
  now,
  coin: "BTC",
  maturityDays: 30,
  coinWithoutOptions: "DOGE",
  longerMaturity: { maturityDays: 60 },
  chain: computeChainIv(testWorld, "BTC", now, 30)
})
storedEquitiesContract(name, layerGappyMarket, { now, symbol: "AAPL", index: "SPX", delisted: stocks.delistedStock })
optionsVenueContract(name, layerGappyMarket, { now, coin: "ETH", coinWithoutOptions: "DOGE" })
const venue = { now, us: "AAPL", kr: "005930", listed: waive("reports no listing dates"), delisted: stocks.us.delisted }
equityMarketsContract(name, layerGappyMarket, venue, { optionalMethods: ["investorFlows"] })
tokenMarketsContract(name, layerGappyMarket, { now, coin: "ETH" })
macroCalendarContract(name, layerGappyMarket, { now })
