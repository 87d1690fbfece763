import type { SourceUrls } from "../../src/index.ts"

/** Returns the URLs of all sources at one address, which distinguishes some of them only by their requests. */
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
