import type { TokenContract } from "./TokenSource.ts"

/**
 * The token of a coin. A coin's token is identified by contract and CoinGecko ID, because anybody can create a token
 * with a coin's name.
 */
export interface CoinToken extends TokenContract {
  readonly coin: string
  /** The coin's CoinGecko ID, which is the same for the coin's tokens on all chains. */
  readonly coinId: string
  /** The wrapped contract that pools trade for a native coin, or null if no wrapped contract exists. */
  readonly wrapped?: TokenContract | null
}

const contractToken = (coin: string, coinId: string, chain: string, address: string): CoinToken => ({
  coin,
  coinId,
  chain,
  address
})

/** Returns the token of a native coin. `on` is the chain on which the wrapped form of the coin trades. */
const nativeToken = (coin: string, coinId: string, chain: string, address?: string, on = chain): CoinToken => ({
  coin,
  coinId,
  chain,
  address: "native",
  wrapped: address === undefined ? null : { chain: on, address }
})

/** The tokens of the coins that have on-chain data, with the contracts that their issuers publish. */
export const coinTokens: ReadonlyArray<CoinToken> = [
  nativeToken("BTC", "bitcoin", "bitcoin", "0x2260fac5e5542a773aa44fbcfedf7c193bc2c599", "ethereum"),
  nativeToken("ETH", "ethereum", "ethereum", "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"),
  nativeToken("SOL", "solana", "solana", "So11111111111111111111111111111111111111112"),
  nativeToken("BNB", "binancecoin", "bsc", "0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c"),
  nativeToken("AVAX", "avalanche-2", "avalanche", "0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7"),
  nativeToken("TRX", "tron", "tron", "TNUC9Qb1rRpS5CbWLmNMxXBjyFoydXjWFR"),
  nativeToken("SUI", "sui", "sui", "0x2::sui::SUI"),
  nativeToken("APT", "aptos", "aptos", "0x1::aptos_coin::AptosCoin"),
  nativeToken("NEAR", "near", "near", "wrap.near"),
  nativeToken("XRP", "ripple", "xrpl"),
  nativeToken("ADA", "cardano", "cardano"),
  nativeToken("DOT", "polkadot", "polkadot"),
  nativeToken("LTC", "litecoin", "litecoin"),
  nativeToken("BCH", "bitcoin-cash", "bitcoin-cash"),
  nativeToken("ATOM", "cosmos", "cosmos"),
  nativeToken("XLM", "stellar", "stellar"),
  nativeToken("DOGE", "dogecoin", "dogecoin"),
  contractToken("USDT", "tether", "ethereum", "0xdac17f958d2ee523a2206206994597c13d831ec7"),
  contractToken("USDC", "usd-coin", "ethereum", "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"),
  contractToken("LINK", "chainlink", "ethereum", "0x514910771af9ca656af840dff83e8264ecf986ca"),
  contractToken("UNI", "uniswap", "ethereum", "0x1f9840a85d5af5bf1d1762f925bdaddc4201f984"),
  contractToken("AAVE", "aave", "ethereum", "0x7fc66500c84a76ad7e9c93437bfc5ac33e2ddae9"),
  contractToken("SHIB", "shiba-inu", "ethereum", "0x95ad61b0a150d79219dcf64e1e6cc01f0b64c4ce"),
  contractToken("PEPE", "pepe", "ethereum", "0x6982508145454ce325ddbe47a25d4ec3d2311933"),
  contractToken("ARB", "arbitrum", "arbitrum", "0x912ce59144191c1204e64559fe8253a0e49e6548"),
  contractToken("OP", "optimism", "optimism", "0x4200000000000000000000000000000000000042")
]

/** Returns the contract that pools trade for a coin, or null if unknown. */
export const tradedContract = ({ address, chain, wrapped }: CoinToken): TokenContract | null =>
  wrapped === undefined ? { chain, address } : wrapped
