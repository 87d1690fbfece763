/** The forty simulated coins, with prices, volumes and volatilities near the real values of the mid-2020s. */

export interface CoinSpec {
  readonly coin: string
  readonly name: string
  readonly sector: string
  readonly supply: number
  readonly maxSupply: number | null
  /** The reference price of the coin at the start of 2026, in USD. */
  readonly price: number
  /** The growth of the coin's reference price before 2026, in log points per year. */
  readonly growth: number
  /** The standard deviation of daily log returns. */
  readonly dailySd: number
  readonly dailyVolumeUsd: number
  /** The first trading day of the coin, as `YYYY-MM-DD`. */
  readonly listed: string
  /** The share of the crypto market in the variance of returns; the coin's own moves cause the remaining variance. */
  readonly marketShare: number
  readonly sectorShare: number
  readonly isStablecoin: boolean
  /** Whether the Korean exchanges list the coin permanently. */
  readonly isLongListedInKorea: boolean
}

type CoinRow = readonly [
  coin: string,
  name: string,
  sector: string,
  supplyMillions: number,
  maxSupplyMillions: number | null,
  price: number,
  growth: number,
  dailySdPct: number,
  dailyVolumeMillions: number,
  listed: string,
  marketShare: number,
  sectorShare: number,
  krw: boolean
]

const rows: ReadonlyArray<CoinRow> = [
  ["BTC", "Bitcoin", "layer1", 19.95, 21, 92_000, 0.32, 2.3, 21_000, "2020-01-01", 0.84, 0.02, true],
  ["ETH", "Ethereum", "layer1", 120.7, null, 3_300, 0.34, 3.1, 13_000, "2020-01-01", 0.74, 0.09, true],
  ["SOL", "Solana", "layer1", 558, null, 165, 0.55, 4.0, 4_200, "2020-08-11", 0.6, 0.15, true],
  ["XRP", "XRP", "payments", 60_300, 100_000, 2.25, 0.35, 3.8, 3_900, "2020-01-01", 0.55, 0.13, true],
  ["BNB", "BNB", "exchange", 137.7, 200, 880, 0.6, 2.9, 1_500, "2020-01-01", 0.66, 0.08, false],
  ["DOGE", "Dogecoin", "meme", 151_800, null, 0.17, 0.5, 4.6, 1_700, "2020-01-01", 0.52, 0.22, true],
  ["ADA", "Cardano", "layer1", 36_600, 45_000, 0.56, 0.2, 4.0, 800, "2020-01-01", 0.6, 0.16, true],
  ["TRX", "TRON", "payments", 94_700, null, 0.29, 0.4, 2.4, 700, "2020-01-01", 0.42, 0.1, true],
  ["AVAX", "Avalanche", "layer1", 427, 715, 17.5, 0.3, 4.5, 450, "2020-09-22", 0.6, 0.18, true],
  ["LINK", "Chainlink", "infrastructure", 697, 1_000, 14.8, 0.25, 4.2, 600, "2020-01-01", 0.6, 0.15, true],
  ["DOT", "Polkadot", "layer1", 1_630, null, 3.1, -0.1, 4.2, 260, "2020-08-19", 0.62, 0.17, true],
  ["SUI", "Sui", "layer1", 3_680, 10_000, 1.9, 0.3, 5.0, 900, "2023-05-03", 0.55, 0.2, true],
  ["BCH", "Bitcoin Cash", "payments", 19.95, 21, 520, 0.1, 3.7, 420, "2020-01-01", 0.55, 0.13, true],
  ["LTC", "Litecoin", "payments", 76.5, 84, 92, 0.05, 3.5, 520, "2020-01-01", 0.58, 0.14, true],
  ["NEAR", "NEAR Protocol", "layer1", 1_270, null, 2.3, 0.15, 4.8, 250, "2020-10-14", 0.58, 0.19, true],
  ["UNI", "Uniswap", "defi", 630, 1_000, 6.6, 0.1, 4.6, 320, "2020-09-17", 0.53, 0.22, true],
  ["AAVE", "Aave", "defi", 15.2, 16, 205, 0.35, 4.4, 380, "2020-10-02", 0.53, 0.22, true],
  ["SHIB", "Shiba Inu", "meme", 589_250_000, null, 0.0000098, 0.3, 4.7, 230, "2021-05-10", 0.5, 0.25, true],
  ["PEPE", "Pepe", "meme", 420_690_000, 420_690_000, 0.0000061, 0.4, 5.8, 620, "2023-05-05", 0.45, 0.28, true],
  ["XLM", "Stellar", "payments", 32_000, 50_000, 0.27, 0.25, 4.0, 220, "2020-01-01", 0.52, 0.2, true],
  ["HBAR", "Hedera", "layer1", 42_400, 50_000, 0.16, 0.2, 4.5, 210, "2020-01-01", 0.54, 0.17, true],
  ["ETC", "Ethereum Classic", "layer1", 153, 210.7, 16.5, 0.1, 3.9, 120, "2020-01-01", 0.58, 0.18, true],
  ["ATOM", "Cosmos", "layer1", 470, null, 3.2, -0.05, 4.2, 110, "2020-01-01", 0.6, 0.18, true],
  ["ARB", "Arbitrum", "layer2", 5_500, 10_000, 0.31, 0.0, 5.0, 210, "2023-03-23", 0.56, 0.24, true],
  ["OP", "Optimism", "layer2", 1_900, 4_295, 0.46, 0.0, 5.1, 130, "2022-06-01", 0.56, 0.24, false],
  ["STX", "Stacks", "layer2", 1_800, 1_818, 0.42, 0.15, 5.1, 50, "2020-01-01", 0.54, 0.2, true],
  ["APT", "Aptos", "layer1", 730, null, 2.6, 0.0, 4.9, 160, "2022-10-19", 0.57, 0.18, true],
  ["SEI", "Sei", "layer1", 6_300, 10_000, 0.18, 0.1, 5.3, 110, "2023-08-15", 0.54, 0.19, true],
  ["FIL", "Filecoin", "infrastructure", 710, 1_960, 1.7, -0.2, 4.6, 130, "2020-10-15", 0.57, 0.18, false],
  ["RENDER", "Render", "ai", 518, 644, 2.4, 0.4, 5.4, 90, "2021-11-27", 0.5, 0.26, true],
  [
    "FET",
    "Artificial Superintelligence Alliance",
    "ai",
    2_370,
    2_710,
    0.34,
    0.35,
    5.7,
    110,
    "2020-01-01",
    0.48,
    0.28,
    false
  ],
  ["TAO", "Bittensor", "ai", 10.2, 21, 330, 0.5, 5.2, 170, "2024-04-11", 0.48, 0.26, false],
  ["INJ", "Injective", "defi", 100, 100, 7.2, 0.4, 5.2, 90, "2020-10-21", 0.52, 0.21, false],
  ["LDO", "Lido DAO", "defi", 895, 1_000, 0.85, 0.0, 5.0, 80, "2021-01-06", 0.52, 0.23, false],
  ["JUP", "Jupiter", "defi", 3_170, 10_000, 0.28, 0.1, 5.4, 70, "2024-01-31", 0.48, 0.22, false],
  ["WIF", "dogwifhat", "meme", 999, 999, 0.44, 0.3, 6.6, 150, "2024-03-05", 0.42, 0.3, false],
  ["IMX", "Immutable", "gaming", 1_960, 2_000, 0.38, 0.0, 5.0, 40, "2021-11-05", 0.52, 0.15, true],
  ["USDT", "Tether", "stablecoin", 184_000, null, 1, 0, 0.03, 62_000, "2020-01-01", 0, 0.3, true],
  ["USDC", "USD Coin", "stablecoin", 76_000, null, 1, 0, 0.025, 11_000, "2020-01-01", 0, 0.3, true],
  ["DAI", "Dai", "stablecoin", 5_300, null, 1, 0, 0.04, 210, "2020-01-01", 0, 0.3, false]
]

export const coinSpecs: ReadonlyArray<CoinSpec> = rows.map((row) => ({
  coin: row[0],
  name: row[1],
  sector: row[2],
  supply: row[3] * 1e6,
  maxSupply: row[4] === null ? null : row[4] * 1e6,
  price: row[5],
  growth: row[6],
  dailySd: row[7] / 100,
  dailyVolumeUsd: row[8] * 1e6,
  listed: row[9],
  marketShare: row[10],
  sectorShare: row[11],
  isStablecoin: row[2] === "stablecoin",
  isLongListedInKorea: row[12]
}))
