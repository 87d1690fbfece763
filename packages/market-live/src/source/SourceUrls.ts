/**
 * The base URLs of the sources, each of which defaults to the public URL and can be set by an environment variable of
 * the server.
 */
export interface SourceUrls {
  readonly upbit?: string
  readonly bithumb?: string
  readonly ecb?: string
  readonly coinPaprika?: string
  readonly coinGecko?: string
  readonly defiLlama?: string
  readonly binanceSpot?: string
  readonly binanceFutures?: string
  readonly binanceStreams?: string
  readonly blueskyStreams?: string
  readonly bybit?: string
  readonly bybitStreams?: string
  readonly okx?: string
  readonly okxStreams?: string
  readonly deribit?: string
  readonly deribitHistory?: string
  readonly geckoTerminal?: string
  readonly dexScreener?: string
  readonly yahoo?: string
  /** The URL of Yahoo's website, which issues the credentials for Yahoo's API. */
  readonly yahooSite?: string
  readonly edgar?: string
  readonly edgarData?: string
  readonly usTreasury?: string
  readonly fiscalData?: string
  readonly federalReserve?: string
  readonly bls?: string
  readonly bea?: string
  readonly ecos?: string
  readonly openDart?: string
}
