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
import { chainIv } from "./support/chainIv.ts"
import { askedAgain, now, outage, patchy, stored, world } from "./support/patchy.ts"
import { stocks } from "./support/stocks.ts"
import { wonMarkets } from "./support/wonMarkets.ts"

// The suites pass for a venue with gaps, and the patchy venue meets the ports' contracts.
const name = "a patchy venue"

const prices = stored("BTC")
coinPricesContract(name, prices.layer, {
  now,
  backfill: prices.backfill,
  askedAgain,
  coins: ["BTC", "XRP", "SOL"],
  delisted: "LTC",
  outage,
  takerless: "XRP"
})
const derivatives = stored("SOL")
coinDerivativesContract(name, derivatives.layer, {
  now,
  backfill: derivatives.backfill,
  askedAgain,
  coins: ["BTC", "XRP", "SOL", "DOGE"],
  stablecoin: "USDT",
  coverage: "sampled",
  sameVenues: true,
  outage
})
orderBooksContract(name, patchy, { now, coins: ["BTC"] })
onchainFlowsContract(name, patchy, { now, coin: "UNI", outage })
const social = stored("DOGE")
socialFeedContract(name, social.layer, { now, askedAgain, backfill: social.backfill, coin: "DOGE", outage })
newsFeedContract(name, patchy, { now, coin: "BTC", symbol: "AAPL" })
koreanCoinMarketsContract(name, patchy, {
  now,
  coin: "XRP",
  unlisted: "DAI",
  outage,
  quoteless: "XRP",
  ...wonMarkets(world, now)
})
exchangeRatesContract(name, patchy, { now, outage })
impliedVolatilitiesContract(name, patchy, {
  now,
  coin: "BTC",
  maturityDays: 30,
  without: "DOGE",
  longer: { maturityDays: 60 },
  chain: chainIv(world, "BTC", now, 30)
})
storedEquitiesContract(name, patchy, { now, symbol: "AAPL", index: "SPX", delisted: stocks.delistedAmong })
optionsVenueContract(name, patchy, { now, coin: "ETH", without: "DOGE" })
const venue = { now, us: "AAPL", kr: "005930", listed: waived("it knows no listing"), delisted: stocks.us.delisted }
equityMarketsContract(name, patchy, venue, { mayLack: ["investorFlows"] })
tokenMarketsContract(name, patchy, { now, coin: "ETH" })
macroCalendarContract(name, patchy, { now })
