/** The names by which texts of users mention a coin. */
export interface CoinNames {
  readonly coin: string
  /** Whether the ticker in capital letters always means the coin, as BTC does and LINK does not. */
  readonly isUnambiguous: boolean
  /** The English names in lower case, as words or sequences of words. */
  readonly en: ReadonlyArray<string>
  /** The Korean names, which match the beginnings of words. */
  readonly ko: ReadonlyArray<string>
  /** The stems of Russian names, which an ending of at most three letters may follow. */
  readonly ru: ReadonlyArray<string>
}

type Row = readonly [coin: string, ticker: "plain" | "word", en: string, ko: string, ru: string]

// The names "near", "link" and "dot" are missing, because they are also ordinary words.
const rows: ReadonlyArray<Row> = [
  ["BTC", "plain", "bitcoin|bitcoins|btc|xbt", "비트코인", "биткоин|биткойн"],
  ["ETH", "plain", "ethereum", "이더리움", "эфириум|этериум|эфирум"],
  ["SOL", "word", "solana", "솔라나", "солан"],
  ["XRP", "plain", "xrp|xrpl", "엑스알피", "рипл"],
  ["BNB", "plain", "binance coin|bnb chain", "바이낸스코인|비앤비코인", "бинанс коин"],
  ["DOGE", "word", "dogecoin", "도지코인", "догикоин|догекоин|доджкоин"],
  ["ADA", "word", "cardano", "카르다노|에이다코인", "кардано"],
  ["TRX", "plain", "tron network|tron blockchain", "트론코인", ""],
  ["AVAX", "plain", "avax|avalanche network|avalanche c chain", "아발란체", "аваланч"],
  ["LINK", "word", "chainlink", "체인링크", "чейнлинк"],
  ["DOT", "word", "polkadot", "폴카닷", "полкадот"],
  ["SUI", "word", "sui network|sui blockchain", "수이코인", ""],
  ["BCH", "plain", "bitcoin cash", "비트코인캐시|비트코인 캐시", "биткоин кэш|биткоин кеш"],
  ["LTC", "plain", "litecoin", "라이트코인", "лайткоин"],
  ["NEAR", "word", "near protocol", "니어프로토콜", ""],
  ["UNI", "word", "uniswap", "유니스왑", "юнисвап"],
  ["AAVE", "plain", "aave", "에이브코인", ""],
  ["SHIB", "plain", "shiba inu coin|shiba inu token|shib", "시바이누", ""],
  ["PEPE", "word", "pepecoin|pepe coin", "페페코인", ""],
  ["XLM", "plain", "stellar lumens", "스텔라루멘", ""],
  ["HBAR", "plain", "hedera hashgraph|hbar", "헤데라", ""],
  ["ETC", "word", "ethereum classic", "이더리움클래식|이더리움 클래식", "эфириум классик"],
  ["ATOM", "word", "cosmos hub", "코스모스코인", ""],
  ["ARB", "word", "arbitrum", "아비트럼", "арбитрум"],
  ["OP", "word", "", "옵티미즘", ""],
  ["APT", "word", "aptos", "앱토스", "аптос"],
  ["FIL", "word", "filecoin", "파일코인", "файлкоин"],
  ["TAO", "word", "bittensor", "비트텐서", "биттензор"],
  ["INJ", "word", "", "인젝티브", ""],
  ["TON", "word", "toncoin", "톤코인", "тонкоин"],
  ["USDT", "plain", "usdt", "", ""],
  ["USDC", "plain", "usdc", "", ""]
]

const partsOf = (names: string): ReadonlyArray<string> => names === "" ? [] : names.split("|")

const namesByCoin: ReadonlyMap<string, CoinNames> = new Map(
  rows.map(([coin, ticker, en, ko, ru]) => [coin, {
    coin,
    isUnambiguous: ticker === "plain",
    en: partsOf(en),
    ko: partsOf(ko),
    ru: partsOf(ru)
  }])
)

/** Returns the names of a coin; a coin without an entry matches only by its ticker after a `$`. */
export const coinNamesOf = (coin: string): CoinNames =>
  namesByCoin.get(coin) ?? { coin, isUnambiguous: false, en: [], ko: [], ru: [] }

export const namedCoins: ReadonlyArray<string> = [...namesByCoin.keys()]
