/** A coin that is collected, with facts that venues do not provide. */
export interface TrackedCoin {
  readonly coin: string
  readonly name: string
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

/** The coins that are collected by default. */
export const trackedCoins: ReadonlyArray<TrackedCoin> = Object.entries(sectors).flatMap(([sector, coins]) =>
  coins.map(([coin, name]) => ({ coin, name, sector }))
)
