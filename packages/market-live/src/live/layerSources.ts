import { Layer } from "effect"
import { layerBeaSchedule } from "../bea/BeaSchedule.ts"
import { layerBinancePerpetuals } from "../binance/perpetuals.ts"
import { layerBinanceSpot } from "../binance/spot.ts"
import { layerBithumb } from "../bithumb/Bithumb.ts"
import { layerBlsSchedule } from "../bls/BlsSchedule.ts"
import { layerBybitMarket } from "../bybit/market.ts"
import { layerCoinGecko } from "../coinGecko/CoinGecko.ts"
import { layerCoinPaprika } from "../coinPaprika/CoinPaprika.ts"
import { layerDefiLlama } from "../defiLlama/DefiLlama.ts"
import { layerDeribit, layerDeribitHistory } from "../deribit/Deribit.ts"
import { layerDexScreener } from "../dexScreener/DexScreener.ts"
import { layerEcbRates } from "../ecb/EcbRates.ts"
import { layerEcos } from "../ecos/Ecos.ts"
import { layerEdgar } from "../edgar/Edgar.ts"
import { layerEdgarArchives } from "../edgar/EdgarArchives.ts"
import { layerEdgarData } from "../edgar/EdgarData.ts"
import { layerFedCalendar } from "../federalReserve/FedCalendar.ts"
import { layerGeckoTerminal, layerGeckoTrades } from "../geckoTerminal/GeckoTerminal.ts"
import { layerOkxMarket } from "../okx/market.ts"
import { layerOpenDart } from "../openDart/OpenDart.ts"
import { layerUpbit } from "../upbit/Upbit.ts"
import { layerTreasuryAuctions } from "../usTreasury/TreasuryAuctions.ts"
import { layerTreasuryYields } from "../usTreasury/TreasuryYields.ts"
import { layerYahoo } from "../yahoo/Yahoo.ts"
import { briefRetryPolicy, liveRetryPolicy, type LiveSettings } from "./LiveSettings.ts"
import { layerFeeds } from "./newsAndPosts.ts"

/** Provides the sources of regulators, central banks and statistical offices. */
export const layerGovernmentSources = (
  { keys, retryPolicy, urls }: Required<Pick<LiveSettings, "keys" | "retryPolicy" | "urls">>
) => {
  const contact = keys.edgarContact
  const withBaseUrl = (baseUrl: string | undefined) => ({
    retryPolicy,
    ...(baseUrl === undefined ? {} : { baseUrl })
  })
  const edgar = layerEdgar.pipe(
    Layer.provideMerge(Layer.mergeAll(
      layerEdgarArchives({ ...withBaseUrl(urls.edgar), contact }),
      layerEdgarData({ ...withBaseUrl(urls.edgarData), contact })
    ))
  )
  return Layer.mergeAll(
    edgar,
    layerTreasuryYields(withBaseUrl(urls.usTreasury)),
    layerTreasuryAuctions({ ...withBaseUrl(urls.fiscalData), contact }),
    layerFedCalendar({ ...withBaseUrl(urls.federalReserve), contact }),
    layerBlsSchedule({ ...withBaseUrl(urls.bls), contact }),
    layerBeaSchedule({ ...withBaseUrl(urls.bea), contact }),
    layerEcos({ ...withBaseUrl(urls.ecos), key: keys.ecos }),
    layerOpenDart({ ...withBaseUrl(urls.openDart), key: keys.openDart })
  )
}

/** Provides every source once, so that all users of a source share its rate limits. */
export const layerSources = (settings: LiveSettings) => {
  const { keys = {}, retryPolicy: own = {}, urls = {}, yahoo } = settings
  const retryPolicy = { ...liveRetryPolicy, ...own }
  const withBaseUrl = (baseUrl: string | undefined) =>
    baseUrl === undefined ? { retryPolicy } : { baseUrl, retryPolicy }
  const withBriefRetries = (baseUrl: string | undefined) => ({
    ...withBaseUrl(baseUrl),
    retryPolicy: { ...briefRetryPolicy, ...own }
  })
  const { yahooSite: siteUrl } = urls
  const stocks = layerYahoo({ ...withBaseUrl(urls.yahoo), ...(siteUrl === undefined ? {} : { siteUrl }) })
  return Layer.mergeAll(
    layerGovernmentSources({ keys, urls, retryPolicy }),
    yahoo === undefined ? Layer.empty : stocks,
    layerFeeds(settings, retryPolicy),
    layerBinanceSpot(withBaseUrl(urls.binanceSpot)),
    layerBinancePerpetuals(withBaseUrl(urls.binanceFutures)),
    layerBybitMarket(withBaseUrl(urls.bybit)),
    layerOkxMarket(withBaseUrl(urls.okx)),
    layerDeribit(withBaseUrl(urls.deribit)),
    layerDeribitHistory(withBaseUrl(urls.deribitHistory)),
    layerGeckoTerminal(withBriefRetries(urls.geckoTerminal)),
    // No caller waits for collected data, and trade requests are sent one after another, so the timeout is long.
    layerGeckoTrades({ ...withBaseUrl(urls.geckoTerminal), retryPolicy: { ...retryPolicy, callTimeoutMs: 60_000 } }),
    layerDexScreener(withBriefRetries(urls.dexScreener)),
    layerDefiLlama(withBriefRetries(urls.defiLlama)),
    layerUpbit(withBaseUrl(urls.upbit)),
    layerBithumb(withBaseUrl(urls.bithumb)),
    layerEcbRates(withBaseUrl(urls.ecb)),
    layerCoinPaprika(withBaseUrl(urls.coinPaprika)),
    layerCoinGecko(withBaseUrl(urls.coinGecko))
  )
}
