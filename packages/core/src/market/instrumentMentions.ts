import { wordPattern } from "../engine/text/wordPattern.ts"
import { type CoinName, coinNames, notForkName } from "./coinNames.ts"

const stockNames: ReadonlyArray<CoinName> = ([
  ["AAPL", "apple", "애플", "эпл"],
  ["TSLA", "tesla", "테슬라", "тесл"],
  ["NVDA", "nvidia", "엔비디아", "нвиди|энвиди"],
  ["MSFT", "microsoft", "마이크로소프트", "майкрософт"],
  ["005930", "samsung electronics|samsung", "삼성전자", "самсунг"],
  ["000660", "sk ?hynix|hynix", "하이닉스", "хайникс"]
] as const).map(([ticker, en, ko, ru]) => ({ ticker, en, ko, ru, isWord: false }))

const instrumentNames = [...coinNames, ...stockNames]

const namePatterns = instrumentNames.map(({ en, isWord, ko, ru, ticker }) => ({
  ticker,
  pattern: wordPattern(isWord ? en : `${en}|${ticker}${notForkName}`, ko, ru, "giu")
}))

const knownTickers = new Set(instrumentNames.map(({ ticker }) => ticker))

/** Returns whether a known coin or stock has this ticker. */
export const isKnownTicker = (ticker: string): boolean => knownTickers.has(ticker)

const nonTickerWords = new Set(
  ("I A OK PLS PLZ ASAP FYI BTW RSI MACD EMA SMA ATR ADX VWAP OI IV API USD USDC EUR KRW RUB JPY ETF CPI FOMC UTC GMT KST MSK " +
    "EST PST AM PM LONG SHORT BUY SELL STOP TAKE ENTRY EXIT TP SL PT PNL ROI DCA ATH ATL TA FA ID YES NO NOT AND OR THE TO AT ON " +
    "IN OF IF MY ALL SET ADD CLOSE OPEN MOVE DELETE REMOVE RECORD LOG NOTE ALERT ME WHEN ABOVE BELOW FOR PLEASE DO IT NOW LEV SIZE " +
    "IS AS BY UP DOWN THIS THAT WITH FROM X HTTP JSON").split(" ")
)
const tickerPattern = new RegExp(
  "(?<![\\p{L}\\p{N}])(?:\\$([A-Za-z][A-Za-z0-9]{0,9})|([A-Z][A-Z0-9]{1,9}))(?:[/-]?(?:USDT?|KRW|PERP))?" +
    `(?![\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{N}])${notForkName}`,
  "gu"
)
const koreanCodePattern = /(?<![\p{L}\p{N}.,])\d{6}(?![\p{N}.,]|[a-zа-я만천억%])/giu

/** A ticker that a text mentions, and the position of the mention. */
export interface InstrumentMention {
  readonly ticker: string
  readonly at: number
}

export interface MentionSpan extends InstrumentMention {
  readonly end: number
}

/** A number right before `USDT` makes it an amount in dollars, and not a mention of the coin. */
const amountBeforePattern = /\d ?(?:k|к|m|천|만|тыс\.?)? ?$/iu

/** Returns the mentions of coins and stocks in a text. Words that mix scripts are ignored. */
export const findMentionSpans = (text: string): ReadonlyArray<MentionSpan> => {
  const found = new Map<number, MentionSpan>()
  const add = ({ 0: { length }, index }: RegExpExecArray, ticker: string) =>
    ticker === "USDT" && amountBeforePattern.test(text.slice(0, index))
      ? undefined
      : void found.set(index, { ticker, at: index, end: index + length })
  for (const match of text.matchAll(tickerPattern)) {
    const ticker = (match[1] ?? match[2] ?? "").toUpperCase()
    if (!nonTickerWords.has(ticker)) add(match, ticker)
  }
  for (const match of text.matchAll(koreanCodePattern)) if (match[0].startsWith("0")) add(match, match[0])
  for (const { pattern, ticker } of namePatterns) for (const match of text.matchAll(pattern)) add(match, ticker)
  return [...found.values()].sort((a, b) => a.at - b.at)
}

export const findMentions = (text: string): ReadonlyArray<InstrumentMention> => findMentionSpans(text)

export const findTickers = (text: string): ReadonlyArray<string> => [
  ...new Set(findMentions(text).map(({ ticker }) => ticker))
]
