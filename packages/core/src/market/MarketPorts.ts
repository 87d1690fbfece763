import type { CoinDerivatives } from "./CoinDerivatives.ts"
import type { CoinPrices } from "./CoinPrices.ts"
import type { EquityMarkets } from "./EquityMarkets.ts"
import type { ExchangeRates } from "./ExchangeRates.ts"
import type { ImpliedVolatilities } from "./ImpliedVolatilities.ts"
import type { KoreanCoinMarkets } from "./KoreanCoinMarkets.ts"
import type { MacroCalendar } from "./MacroCalendar.ts"
import type { NewsFeed } from "./NewsFeed.ts"
import type { OnchainFlows } from "./OnchainFlows.ts"
import type { OptionsVenue } from "./OptionsVenue.ts"
import type { OrderBooks } from "./OrderBooks.ts"
import type { SocialFeed } from "./SocialFeed.ts"
import type { StoredEquities } from "./StoredEquities.ts"
import type { TokenMarkets } from "./TokenMarkets.ts"

/** All ports of market data. */
export type MarketPorts =
  | CoinPrices
  | CoinDerivatives
  | OrderBooks
  | OnchainFlows
  | SocialFeed
  | NewsFeed
  | KoreanCoinMarkets
  | ExchangeRates
  | ImpliedVolatilities
  | StoredEquities
  | EquityMarkets
  | OptionsVenue
  | TokenMarkets
  | MacroCalendar
