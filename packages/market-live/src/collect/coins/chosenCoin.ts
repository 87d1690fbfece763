import type { ListedCoin } from "../../sources/caps/types.ts"

/** What lists of coins call those that are tracked by default: others have the same tickers, and some once did. */
const idsOf: Readonly<Record<string, readonly [coinPaprika: string, coinGecko: string]>> = {
  BTC: ["btc-bitcoin", "bitcoin"],
  ETH: ["eth-ethereum", "ethereum"],
  SOL: ["sol-solana", "solana"],
  XRP: ["xrp-xrp", "ripple"],
  BNB: ["bnb-binance-coin", "binancecoin"],
  ADA: ["ada-cardano", "cardano"],
  AVAX: ["avax-avalanche", "avalanche-2"],
  TRX: ["trx-tron", "tron"],
  DOT: ["dot-polkadot", "polkadot"],
  LTC: ["ltc-litecoin", "litecoin"],
  BCH: ["bch-bitcoin-cash", "bitcoin-cash"],
  NEAR: ["near-near-protocol", "near"],
  SUI: ["sui-sui", "sui"],
  APT: ["apt-aptos", "aptos"],
  ATOM: ["atom-cosmos", "cosmos"],
  XLM: ["xlm-stellar", "stellar"],
  ARB: ["arb-arbitrum", "arbitrum"],
  OP: ["op-optimism", "optimism"],
  LINK: ["link-chainlink", "chainlink"],
  UNI: ["uni-uniswap", "uniswap"],
  AAVE: ["aave-new", "aave"],
  DOGE: ["doge-dogecoin", "dogecoin"],
  SHIB: ["shib-shiba-inu", "shiba-inu"],
  PEPE: ["pepe-pepe", "pepe"]
}

/** Prices of one coin at two places, minutes apart, are not further apart than that; those of two coins are. */
const apartAtMost = 1.5

const isOfPrice = ({ price }: ListedCoin, own: number | undefined): boolean =>
  own === undefined || price === null || Math.max(price / own, own / price) <= apartAtMost

/**
 * The coin that a ticker means: the one that is known by its identifier, else the largest by rank, of those that cost
 * what the coin costs here.
 */
export const chosenCoin = (
  all: ReadonlyArray<ListedCoin>,
  coin: string,
  price: number | undefined
): ListedCoin | undefined => {
  const possible = all.filter((one) => one.coin === coin && one.rank !== null && isOfPrice(one, price))
  const known = possible.find(({ id }) => idsOf[coin]?.includes(id))
  return known ?? possible.toSorted((a, b) => (a.rank ?? Infinity) - (b.rank ?? Infinity))[0]
}
