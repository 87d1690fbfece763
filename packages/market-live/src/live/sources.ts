import { Layer } from "effect"
import { layerBinancePerpetuals } from "../sources/binance/perpetuals.ts"
import { layerBinanceSpot } from "../sources/binance/spot.ts"
import { layerBybitMarket } from "../sources/bybit/market.ts"
import { layerCoinGecko } from "../sources/caps/CoinGecko.ts"
import { layerCoinPaprika } from "../sources/caps/CoinPaprika.ts"
import { layerDefiLlama } from "../sources/defillama/DefiLlama.ts"
import { layerDeribit, layerDeribitHistory } from "../sources/deribit/venue.ts"
import { layerDexScreener } from "../sources/dex/DexScreener.ts"
import { layerGeckoTerminal, layerGeckoTrades } from "../sources/dex/GeckoTerminal.ts"
import { layerEcbRates } from "../sources/ecb/EcbRates.ts"
import { layerBithumb } from "../sources/korea/Bithumb.ts"
import { layerUpbit } from "../sources/korea/Upbit.ts"
import { layerOkxMarket } from "../sources/okx/market.ts"
import { layerYahoo } from "../sources/yahoo/Yahoo.ts"
import { layerFeeds } from "./feeds.ts"
import { briefPatience, livePatience, type LiveSettings } from "./LiveSettings.ts"
import { layerOffices } from "./offices.ts"

/** Every source, made once, so that all its users share its rate limits. */
export const layerSources = (settings: LiveSettings) => {
  const { keys = {}, patience: own = {}, urls = {}, yahoo } = settings
  const patience = { ...livePatience, ...own }
  const at = (baseUrl: string | undefined) => baseUrl === undefined ? { patience } : { baseUrl, patience }
  const briefly = (baseUrl: string | undefined) => ({ ...at(baseUrl), patience: { ...briefPatience, ...own } })
  const { yahooSite: siteUrl } = urls
  const stocks = layerYahoo({ ...at(urls.yahoo), ...(siteUrl === undefined ? {} : { siteUrl }) })
  return Layer.mergeAll(
    layerOffices({ keys, urls, patience }),
    yahoo === undefined ? Layer.empty : stocks,
    layerFeeds(settings, patience),
    layerBinanceSpot(at(urls.binanceSpot)),
    layerBinancePerpetuals(at(urls.binanceFutures)),
    layerBybitMarket(at(urls.bybit)),
    layerOkxMarket(at(urls.okx)),
    layerDeribit(at(urls.deribit)),
    layerDeribitHistory(at(urls.deribitHistory)),
    layerGeckoTerminal(briefly(urls.geckoTerminal)),
    // No caller waits for collected data, and these requests are sent one after the other.
    layerGeckoTrades({ ...at(urls.geckoTerminal), patience: { ...patience, patienceMs: 60_000 } }),
    layerDexScreener(briefly(urls.dexScreener)),
    layerDefiLlama(briefly(urls.defiLlama)),
    layerUpbit(at(urls.upbit)),
    layerBithumb(at(urls.bithumb)),
    layerEcbRates(at(urls.ecb)),
    layerCoinPaprika(at(urls.coinPaprika)),
    layerCoinGecko(at(urls.coinGecko))
  )
}
