import type { SourceUrls } from "../../src/index.ts"

/** Returns URLs at one address for all sources. */
export const allUrlsAt = (url: string): Required<SourceUrls> => ({
  upbit: url,
  bithumb: url,
  ecb: url,
  coinPaprika: url,
  coinGecko: url,
  defiLlama: url,
  binanceSpot: url,
  binanceFutures: url,
  binanceStreams: url.replace("http", "ws"),
  blueskyStreams: url.replace("http", "ws"),
  bybit: url,
  bybitStreams: url.replace("http", "ws"),
  okx: url,
  okxStreams: url.replace("http", "ws"),
  deribit: url,
  deribitHistory: url,
  geckoTerminal: url,
  dexScreener: url,
  edgar: url,
  edgarData: url,
  usTreasury: url,
  fiscalData: url,
  federalReserve: url,
  bls: url,
  bea: url,
  ecos: url,
  openDart: url,
  yahoo: url,
  yahooSite: url
})
