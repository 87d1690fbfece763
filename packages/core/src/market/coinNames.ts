/** A coin with its names as patterns: whole English words, Korean stems and the beginnings of Russian words. */
export interface CoinName {
  readonly ticker: string
  readonly en: string
  readonly ko: string
  readonly ru: string
  /** Whether the ticker is also an ordinary word. A ticker that is also a word counts only in capitals or after `$`. */
  readonly isWord: boolean
}

/** A pattern that never matches, for coins without a name in a language. */
export const neverMatches = "(?!)"

/** Rejects a match that is followed by a word of a fork's name, such as "classic" in "eth classic". */
export const notForkName = "(?! (?:[Cc]lassic|CLASSIC|[Cc]ash|CASH|[Ss][Vv])(?![A-Za-z]))"

const nameRows: ReadonlyArray<readonly [ticker: string, en: string, ko: string, ru: string]> = [
  [
    "BTC",
    `bitcoins?(?! cash)${notForkName}|xbt`,
    "비트코인(?! ?캐시)|(?<!업|바이)비트(?=[를가은는에로 ,]|$)",
    "биткоин(?! ?к[эе]ш)|биткойн|бит(?:ок|ка|ку|ке|ком)(?![а-я])"
  ],
  ["ETH", "ethereum(?! classic)|ether", "이더리움(?! ?클래식)|이더(?!리움)", "эфир(?!н)|этериум"],
  ["SOL", "solana", "솔라나", "солан|сол(?:а|ы|е|у|ой)(?![а-я])"],
  ["XRP", "ripple", "(?<!트)리플|엑스알피", "рипл"],
  ["BNB", "binance coin", "바이낸스 ?코인|비앤비", "бинанс ?коин|бнб"],
  ["DOGE", "dogecoin", "도지", "дог[еи]коин|дог(?:а|е|и|у|ой)(?![а-я])|додж"],
  ["ADA", "cardano", "에이다|카르다노", "кардано"],
  ["TRX", "tron", "트론", "трон(?:а|у|ом|е)?(?![а-я])"],
  ["AVAX", "avalanche", "아발란체", "аваланч|авакс"],
  ["LINK", "chainlink", "체인링크", "чейнлинк"],
  ["DOT", "polkadot", "폴카닷", "полкадот"],
  ["SUI", neverMatches, "(?<![가-힣])수이", "суи(?![а-я])"],
  ["BCH", "bitcoin cash|btc cash", "비트코인 ?캐시", "биткоин ?к[эе]ш"],
  ["LTC", "litecoin", "라이트코인", "лайткоин"],
  ["NEAR", "near protocol", "니어", "ниар"],
  ["UNI", "uniswap", "유니스왑", "юнисвап"],
  ["AAVE", "aave", "에이브(?![가-힣])", "ааве"],
  ["SHIB", "shiba(?: inu)?", "시바", "шиб[аыуе]"],
  ["PEPE", "pepe", "페페", "пепе(?![а-я])"],
  ["XLM", "stellar", "스텔라", "стеллар"],
  ["HBAR", "hedera", "헤데라", "хедера"],
  ["ETC", "ethereum classic|eth classic", "이더리움 ?클래식", "эфириум ?классик"],
  ["ATOM", neverMatches, "코스모스", neverMatches],
  ["ARB", "arbitrum", "아비트럼", "арбитрум"],
  ["OP", neverMatches, "옵티미즘", neverMatches],
  ["STX", neverMatches, "스택스", neverMatches],
  ["APT", "aptos", "앱토스", "аптос"],
  ["SEI", "sei network", neverMatches, neverMatches],
  ["FIL", "filecoin", "파일코인", "файлкоин"],
  ["RENDER", "render token", neverMatches, neverMatches],
  ["FET", "fetch\\.?ai", neverMatches, neverMatches],
  ["TAO", "bittensor", "비트텐서", "биттензор"],
  ["INJ", neverMatches, "인젝티브", "инжектив"],
  ["LDO", neverMatches, neverMatches, neverMatches],
  ["JUP", "jupiter token", "주피터", neverMatches],
  ["WIF", "dogwifhat", "도그위프햇", neverMatches],
  ["IMX", neverMatches, "이뮤터블", neverMatches],
  ["TON", "toncoin", "톤코인", "тонкоин"],
  ["USDT", "tether", "테더", "тезер|тетер"]
]

const tickersThatAreWords = new Set(
  "LINK OP DOT NEAR UNI ATOM APT SEI FIL RENDER ETC TON JUP WIF ARB SUI FET".split(" ")
)

/**
 * Patterns that match coin names in normalised text. A name in the list means only the coin. Normalised text is in
 * composed lower case, with `е` for `ё` and plain spaces. A parser of users' questions may accept more names.
 */
export const coinNames: ReadonlyArray<CoinName> = nameRows.map(([ticker, en, ko, ru]) => ({
  ticker,
  en,
  ko,
  ru,
  isWord: tickersThatAreWords.has(ticker)
}))

/**
 * Names of coins that can also mean something else. In an argument that selects a coin, such a name always means the
 * coin.
 */
const ambiguousNames: Readonly<Record<string, string>> = {
  cosmos: "ATOM",
  immutable: "IMX",
  injective: "INJ",
  jupiter: "JUP",
  lido: "LDO",
  "lido dao": "LDO",
  optimism: "OP",
  render: "RENDER",
  stacks: "STX",
  "usd coin": "USDC"
}

/** Patterns that match whole coin names. A Russian name may have an ending of at most two letters. */
const namePatterns = coinNames.map(({ en, ko, ru, ticker }) => ({
  ticker,
  pattern: new RegExp(`^(?:${en}|${ko}|(?:${ru})[а-я]{0,2})$`, "u")
}))

const maxNameLength = 40

export const findCoinByName = (text: string): string | undefined => {
  if (text.length > maxNameLength) return undefined
  const name = text.normalize("NFC").toLowerCase().replaceAll("ё", "е").trim().replaceAll(/\s+/gu, " ")
  return Object.hasOwn(ambiguousNames, name)
    ? ambiguousNames[name]
    : namePatterns.find(({ pattern }) => pattern.test(name))?.ticker
}
