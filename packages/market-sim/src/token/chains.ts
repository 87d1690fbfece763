import type { CoinSpec } from "../coin/coins.ts"

/** The chains of native coins; other coins are token contracts. */
const nativeChains: Readonly<Record<string, string>> = {
  BTC: "bitcoin",
  ETH: "ethereum",
  SOL: "solana",
  XRP: "xrpl",
  BNB: "bsc",
  DOGE: "dogecoin",
  ADA: "cardano",
  TRX: "tron",
  AVAX: "avalanche",
  DOT: "polkadot",
  SUI: "sui",
  BCH: "bitcoin-cash",
  LTC: "litecoin",
  NEAR: "near",
  XLM: "stellar",
  HBAR: "hedera",
  ETC: "ethereum-classic",
  ATOM: "cosmos",
  STX: "stacks",
  APT: "aptos",
  SEI: "sei",
  FIL: "filecoin",
  TAO: "bittensor",
  INJ: "injective"
}

const contractChains: Readonly<Record<string, string>> = {
  ARB: "arbitrum",
  OP: "optimism",
  RENDER: "solana",
  JUP: "solana",
  WIF: "solana"
}

export const isNative = (spec: CoinSpec): boolean => nativeChains[spec.coin] !== undefined
/** Coins that are created by mining, whose total supply excludes coins that are not mined yet. */
const minedCoins = new Set(["BTC", "BCH", "LTC", "DOGE", "ETC", "TAO"])

export const isMined = ({ coin }: CoinSpec): boolean => minedCoins.has(coin)
export const getChain = (spec: CoinSpec): string => nativeChains[spec.coin] ?? contractChains[spec.coin] ?? "ethereum"

interface Dex {
  readonly dex: string
  /** The possible fees of a pool on the exchange, in percent. */
  readonly feesPct: ReadonlyArray<number>
}

const dexes: Readonly<Record<string, ReadonlyArray<Dex>>> = {
  ethereum: [
    { dex: "uniswap_v3", feesPct: [0.05, 0.3, 1] },
    { dex: "uniswap_v4", feesPct: [0.05, 0.3] },
    { dex: "sushiswap", feesPct: [0.3] },
    { dex: "curve", feesPct: [0.04] },
    { dex: "balancer", feesPct: [0.2] }
  ],
  solana: [
    { dex: "raydium", feesPct: [0.25, 0.04] },
    { dex: "orca", feesPct: [0.04, 0.3] },
    { dex: "meteora", feesPct: [0.2, 0.8] }
  ],
  bsc: [
    { dex: "pancakeswap_v3", feesPct: [0.01, 0.05, 0.25] },
    { dex: "uniswap_v3", feesPct: [0.3] },
    { dex: "thena", feesPct: [0.2] }
  ],
  arbitrum: [{ dex: "uniswap_v3", feesPct: [0.05, 0.3] }, { dex: "camelot", feesPct: [0.2] }],
  optimism: [{ dex: "velodrome", feesPct: [0.05, 0.3] }, { dex: "uniswap_v3", feesPct: [0.3] }],
  avalanche: [{ dex: "trader_joe", feesPct: [0.05, 0.2] }, { dex: "pangolin", feesPct: [0.3] }],
  sui: [{ dex: "cetus", feesPct: [0.05, 0.25] }, { dex: "turbos", feesPct: [0.3] }],
  tron: [{ dex: "sunswap", feesPct: [0.05, 0.3] }],
  cardano: [{ dex: "minswap", feesPct: [0.3] }, { dex: "sundaeswap", feesPct: [0.3] }]
}

/** The chain for wrapped tokens of coins whose own chain has no decentralised exchange. */
const fallbackChain = "ethereum"

/**
 * Returns the decentralised exchanges on which a coin is traded, and the chain of these exchanges. `isWrapped` is true
 * if the exchanges trade a wrapped token of the coin.
 */
export const getDexes = (
  spec: CoinSpec
): { readonly chain: string; readonly dexes: ReadonlyArray<Dex>; readonly isWrapped: boolean } => {
  const chain = getChain(spec)
  const chainDexes = dexes[chain]
  return chainDexes === undefined
    ? { chain: fallbackChain, dexes: dexes[fallbackChain]!, isWrapped: true }
    : { chain, dexes: chainDexes, isWrapped: false }
}

export const getQuoteTokens = (chain: string): ReadonlyArray<string> => {
  if (chain === "solana") return ["USDC", "SOL", "USDT"]
  if (chain === "bsc") return ["USDT", "WBNB", "USDC"]
  return chain === "tron" ? ["USDT"] : ["USDC", "WETH", "USDT"]
}
