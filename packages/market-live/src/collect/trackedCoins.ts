/** A coin that is collected: what no venue tells of it. */
export interface TrackedCoin {
  /** As venues call it. */
  readonly coin: string
  readonly name: string
  /** Narrative sector, lower case. */
  readonly sector: string
}

const sectors: Readonly<Record<string, ReadonlyArray<readonly [coin: string, name: string]>>> = {
  layer1: [
    ["BTC", "Bitcoin"],
    ["ETH", "Ethereum"],
    ["SOL", "Solana"],
    ["XRP", "XRP"],
    ["BNB", "BNB"],
    ["ADA", "Cardano"],
    ["AVAX", "Avalanche"],
    ["TRX", "TRON"],
    ["DOT", "Polkadot"],
    ["LTC", "Litecoin"],
    ["BCH", "Bitcoin Cash"],
    ["NEAR", "NEAR Protocol"],
    ["SUI", "Sui"],
    ["APT", "Aptos"],
    ["ATOM", "Cosmos"],
    ["XLM", "Stellar"]
  ],
  layer2: [["ARB", "Arbitrum"], ["OP", "Optimism"]],
  defi: [["LINK", "Chainlink"], ["UNI", "Uniswap"], ["AAVE", "Aave"]],
  meme: [["DOGE", "Dogecoin"], ["SHIB", "Shiba Inu"], ["PEPE", "Pepe"]]
}

/** What is collected where an operator names no coins. */
export const trackedCoins: ReadonlyArray<TrackedCoin> = Object.entries(sectors).flatMap(([sector, coins]) =>
  coins.map(([coin, name]) => ({ coin, name, sector }))
)
