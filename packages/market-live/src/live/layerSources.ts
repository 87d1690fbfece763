import { Layer } from "effect"
import { layerBeaSchedule } from "../bea/BeaSchedule.ts"
import { layerBithumb } from "../bithumb/Bithumb.ts"
import { layerBlsSchedule } from "../bls/BlsSchedule.ts"
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
import { layerOpenDart } from "../openDart/OpenDart.ts"
import { layerUpbit } from "../upbit/Upbit.ts"
import { layerTreasuryAuctions } from "../usTreasury/TreasuryAuctions.ts"
import { layerTreasuryYields } from "../usTreasury/TreasuryYields.ts"
import { layerYahoo } from "../yahoo/Yahoo.ts"
import { CoinVenues } from "./CoinVenues.ts"
import { briefRetryPolicy, liveRetryPolicy, type LiveSettings } from "./LiveSettings.ts"
import { layerFeeds } from "./newsAndPosts.ts"

export const layerGovernmentSources = (
  { keys, retryPolicy, urls }: Required<Pick<LiveSettings, "keys" | "retryPolicy" | "urls">>
) => {
  const contact = keys.edgarContact
  const edgar = layerEdgar.pipe(
    Layer.provideMerge(Layer.mergeAll(
      layerEdgarArchives({ baseUrl: urls.edgar, contact, retryPolicy }),
      layerEdgarData({ baseUrl: urls.edgarData, contact, retryPolicy })
    ))
  )
  return Layer.mergeAll(
    edgar,
    layerTreasuryYields({ baseUrl: urls.usTreasury, retryPolicy }),
    layerTreasuryAuctions({ baseUrl: urls.fiscalData, contact, retryPolicy }),
    layerFedCalendar({ baseUrl: urls.federalReserve, contact, retryPolicy }),
    layerBlsSchedule({ baseUrl: urls.bls, contact, retryPolicy }),
    layerBeaSchedule({ baseUrl: urls.bea, contact, retryPolicy }),
    layerEcos({ baseUrl: urls.ecos, key: keys.ecos, retryPolicy }),
    layerOpenDart({ baseUrl: urls.openDart, key: keys.openDart, retryPolicy })
  )
}

/** Provides every source once, so that all users of a source share its rate limits. */
export const layerSources = (settings: LiveSettings) => {
  const { keys = {}, retryPolicy: own = {}, urls = {}, yahoo } = settings
  const retryPolicy = { ...liveRetryPolicy, ...own }
  const briefly = { ...briefRetryPolicy, ...own }
  const stocks = layerYahoo({ baseUrl: urls.yahoo, siteUrl: urls.yahooSite, retryPolicy })
  return Layer.mergeAll(
    layerGovernmentSources({ keys, urls, retryPolicy }),
    yahoo === undefined ? Layer.empty : stocks,
    layerFeeds(settings, retryPolicy),
    CoinVenues.layer(settings),
    layerDeribit({ baseUrl: urls.deribit, retryPolicy }),
    layerDeribitHistory({ baseUrl: urls.deribitHistory, retryPolicy }),
    layerGeckoTerminal({ baseUrl: urls.geckoTerminal, retryPolicy: briefly }),
    // No caller waits for collected data, and trade requests are sent one after another, so the timeout is long.
    layerGeckoTrades({ baseUrl: urls.geckoTerminal, retryPolicy: { ...retryPolicy, callTimeoutMs: 60_000 } }),
    layerDexScreener({ baseUrl: urls.dexScreener, retryPolicy: briefly }),
    layerDefiLlama({ baseUrl: urls.defiLlama, retryPolicy: briefly }),
    layerUpbit({ baseUrl: urls.upbit, retryPolicy }),
    layerBithumb({ baseUrl: urls.bithumb, retryPolicy }),
    layerEcbRates({ baseUrl: urls.ecb, retryPolicy }),
    layerCoinPaprika({ baseUrl: urls.coinPaprika, retryPolicy }),
    layerCoinGecko({ baseUrl: urls.coinGecko, retryPolicy })
  )
}
