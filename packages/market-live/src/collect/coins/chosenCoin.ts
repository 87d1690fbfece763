import type { ListedCoin } from "../../sources/caps/types.ts"

/**
 * The identifiers of the default coins in CoinPaprika and CoinGecko. Other coins have, or once had, the same tickers.
 */
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

/** The maximum ratio between prices of one coin from two places, minutes apart. Different coins differ by more. */
const apartAtMost = 1.5

const isOfPrice = ({ price }: ListedCoin, own: number | undefined): boolean =>
  own === undefined || price === null || Math.max(price / own, own / price) <= apartAtMost

/**
 * Chooses the coin that a ticker means: the one with the known identifier, otherwise the largest by rank. Coins whose
 * price differs too much from `price` are excluded.
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
