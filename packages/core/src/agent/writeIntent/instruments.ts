import { nothing, words } from "./pattern.ts"

/** Tickers that are words too: they count in capitals or after `$` only. */
const wordLike = new Set(
  "LINK OP DOT NEAR UNI ATOM APT SEI FIL RENDER ETC TON JUP ONE GAS SAND MASK WIF ARB SUI FET".split(" ")
)

const rows: ReadonlyArray<readonly [ticker: string, english: string, korean: string, russian: string]> = [
  [
    "BTC",
    "bitcoins?(?! cash)|xbt",
    "비트코인(?! ?캐시)|비트(?=[를가은는에로 ,]|$)",
    "биткоин(?! ?к[эе]ш)|биткойн|бит(?:ок|ка|ку|ке|ком)(?![а-я])"
  ],
  ["ETH", "ethereum(?! classic)|ether", "이더리움(?! ?클래식)|이더(?!리움)", "эфир|этериум"],
  ["SOL", "solana", "솔라나", "солан|сол(?:а|ы|е|у|ой)(?![а-я])"],
  ["XRP", "ripple", "(?<!트)리플|엑스알피", "рипл"],
  ["BNB", "binance coin", "바이낸스 ?코인|비앤비", "бинанс ?коин|бнб"],
  ["DOGE", "dogecoin", "도지", "дог[еи]коин|дог(?:а|е|и|у|ой)(?![а-я])|додж"],
  ["ADA", "cardano", "에이다|카르다노", "кардано"],
  ["TRX", "tron", "트론", "трон(?:а|у|ом|е)?(?![а-я])"],
  ["AVAX", "avalanche", "아발란체", "аваланч|авакс"],
  ["LINK", "chainlink", "체인링크", "чейнлинк"],
  ["DOT", "polkadot", "폴카닷", "полкадот"],
  ["SUI", nothing, "(?<![가-힣])수이", "суи(?![а-я])"],
  ["BCH", "bitcoin cash", "비트코인 ?캐시", "биткоин ?к[эе]ш"],
  ["LTC", "litecoin", "라이트코인", "лайткоин"],
  ["NEAR", "near protocol", "니어", "ниар"],
  ["UNI", "uniswap", "유니스왑", "юнисвап"],
  ["AAVE", "aave", "에이브(?![가-힣])", "ааве"],
  ["SHIB", "shiba(?: inu)?", "시바", "шиб[аыуе]"],
  ["PEPE", "pepe", "페페", "пепе(?![а-я])"],
  ["XLM", "stellar", "스텔라", "стеллар"],
  ["HBAR", "hedera", "헤데라", "хедера"],
  ["ETC", "ethereum classic", "이더리움 ?클래식", "эфириум ?классик"],
  ["ATOM", nothing, "코스모스", nothing],
  ["ARB", "arbitrum", "아비트럼", "арбитрум"],
  ["OP", nothing, "옵티미즘", nothing],
  ["APT", "aptos", "앱토스", "аптос"],
  ["TON", "toncoin", "톤코인", "тонкоин"],
  ["USDT", "tether", "테더", "тезер|тетер"],
  ["AAPL", "apple", "애플", "эпл"],
  ["TSLA", "tesla", "테슬라", "тесл"],
  ["NVDA", "nvidia", "엔비디아", "нвиди|энвиди"],
  ["MSFT", "microsoft", "마이크로소프트", "майкрософт"],
  ["005930", "samsung electronics|samsung", "삼성전자", "самсунг"],
  ["000660", "sk ?hynix|hynix", "하이닉스", "хайникс"]
]

const known = rows.map(([ticker, english, korean, russian]) => ({
  ticker,
  names: words(wordLike.has(ticker) ? english : `${english}|${ticker}`, korean, russian, "giu")
}))

const knownTickers = new Set(rows.map(([ticker]) => ticker))

/** Whether a ticker has names here. Capitals that nobody knows may be a house or a paper as well. */
export const isKnownTicker = (ticker: string): boolean => knownTickers.has(ticker)

/** Capitals that name no instrument. */
const notTickers = new Set(
  ("I A OK PLS PLZ ASAP FYI BTW RSI MACD EMA SMA ATR ADX VWAP OI IV API USD USDC EUR KRW RUB JPY ETF CPI FOMC UTC GMT KST MSK " +
    "EST PST AM PM LONG SHORT BUY SELL STOP TAKE ENTRY EXIT TP SL PT PNL ROI DCA ATH ATL TA FA ID YES NO NOT AND OR THE TO AT ON " +
    "IN OF IF MY ALL SET ADD CLOSE OPEN MOVE DELETE REMOVE RECORD LOG NOTE ALERT ME WHEN ABOVE BELOW FOR PLEASE DO IT NOW LEV SIZE " +
    "IS AS BY UP DOWN THIS THAT WITH FROM X HTTP JSON").split(" ")
)
const capitals =
  /(?<![\p{L}\p{N}])(?:\$([A-Za-z][A-Za-z0-9]{0,9})|([A-Z][A-Z0-9]{1,9}))(?:[/-]?(?:USDT?|KRW|PERP))?(?![\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}])/gu
const koreanCode = /(?<![\p{L}\p{N}.,])\d{6}(?![\p{N}.,]|[a-zа-я만천억%])/giu

/** A ticker that a text names, and where. */
export interface Named {
  readonly ticker: string
  readonly at: number
}

interface Span extends Named {
  readonly end: number
}

/** The instruments that a text names, each time, and where. A word of mixed scripts names none. */
export const instrumentSpans = (text: string): ReadonlyArray<Span> => {
  const found = new Map<number, Span>()
  const add = ({ 0: { length }, index }: RegExpExecArray, ticker: string) =>
    void found.set(index, { ticker, at: index, end: index + length })
  for (const match of text.matchAll(capitals)) {
    const ticker = (match[1] ?? match[2] ?? "").toUpperCase()
    if (!notTickers.has(ticker)) add(match, ticker)
  }
  for (const match of text.matchAll(koreanCode)) if (match[0].startsWith("0")) add(match, match[0])
  for (const { names, ticker } of known) for (const match of text.matchAll(names)) add(match, ticker)
  return [...found.values()].sort((a, b) => a.at - b.at)
}

/** The instruments that a text names, each time, in order. */
export const instrumentsIn = (text: string): ReadonlyArray<Named> => instrumentSpans(text)

/** The different instruments that a text names. */
export const tickersIn = (text: string): ReadonlyArray<string> => [
  ...new Set(instrumentsIn(text).map(({ ticker }) => ticker))
]
