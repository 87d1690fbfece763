import { coinNames, notForkName } from "@tapeline/core/market"
import { plain, rule } from "./rule.ts"
import { isCommodity } from "./unknownNames.ts"

/** Matches the end of a short Korean name before a particle: in `비트는`, but not in `비트겟`. */
const particle =
  "(?=$|[^가-힣]|(?:이랑|랑|은|는|이|가|도|를|을|의|에|만|하고|와|과|로|보다|처럼|부터|까지|시세|가격|차트|롱|숏|현물|선물)(?![가-힣])|(?:시세|가격|차트|롱|숏))"

/**
 * Further names of coins, which are only read in questions: short forms, misspellings and ambiguous words. Write
 * requests accept only unambiguous names.
 */
const alsoCalled: Readonly<Record<string, readonly [en: string, ko: string, ru: string]>> = {
  BTC: ["", `(?<!업)비트${particle}|비코(?!인)`, "бтц|бит(?:ки|к)(?![а-я])"],
  ETH: ["", "", "этер(?:а|у|е)?(?![а-я])"],
  SOL: ["solona", `솔${particle}`, "солян|соль?(?![а-я])"],
  XRP: ["", "", "риппл|хрп"],
  DOGE: ["", "", "дог(?:ам)?(?![а-я])"],
  LINK: ["", `링크(?!.{0,12}(?:보내|공유|열|눌러|클릭|주소))${particle}`, "линк(?:а|у|е|ом)?(?![а-я])"],
  SUI: ["sui", "", ""],
  ATOM: ["cosmos", "", "космос(?![а-я])"],
  ARB: ["", "아비(?![가-힣])", ""],
  OP: ["optimism", "", "оптимизм(?![а-я])"],
  STX: ["stacks", "", ""],
  SEI: ["", "(?<![가-힣])세이(?![가-힣])", ""],
  RENDER: ["", "렌더", "рендер"],
  FET: ["fet", "페치", ""],
  INJ: ["injective", "", ""],
  LDO: ["lido", "리도(?![가-힣])", "лидо(?![а-я])"],
  WIF: ["wif", "", ""],
  IMX: ["immutable", "", ""],
  TON: ["", "", "(?<=(?:с|по|у|на|график|цена|курс|фандинг|алерт) )тон(?:а|у|ом)?(?![а-я])(?! новост)"]
}

const either = (...names: ReadonlyArray<string>): string => names.filter((name) => name !== "").join("|")

const rows: ReadonlyArray<(typeof coinNames)[number]> = [
  ...coinNames.map((coin) => {
    const [en, ko, ru] = alsoCalled[coin.ticker] ?? ["", "", ""]
    return { ...coin, en: either(coin.en, en), ko: either(coin.ko, ko), ru: either(coin.ru, ru) }
  }),
  // The USD Coin only occurs as the currency of an amount.
  { ticker: "USDC", en: "usd coin", ko: "유에스디코인", ru: "(?!)", isWord: false }
]

/** Returns the contexts in which a lower-case word is a ticker, such as "buy link" or "link price". */
const asTicker = (ticker: string): string =>
  ticker === "NEAR" || ticker === "ETC"
    ? "(?!)"
    : `(?<=(?:of|for|into|buy|long|short|about|hold|\\d) )${ticker}|${ticker}(?= (?:price|chart|funding|rsi|oi|perps?|usdt?|analysis|outlook|levels?|forecast)(?![a-z]))`

interface Named {
  readonly ticker: string
  readonly at: number
}

export const coinPatterns = rows.map(({ en, ko, ru, ticker }) => ({ ticker, texts: [en, ko, ru] }))

const patterns = rows.map(({ en, isWord, ko, ru, ticker }) => ({
  ticker,
  name: new RegExp(
    rule(
      isWord
        ? `(?:${en})(?![0-9])|${asTicker(ticker).toLowerCase()}`
        : `(?:${en}|${ticker.toLowerCase()}${notForkName})(?![0-9])`,
      ko,
      ru
    ).source,
    "gu"
  )
}))

/** Matches tickers that are words, such as `link`, where they are joined with another name: "link and avax". */
const joinedTickers = new RegExp(
  rows.flatMap(({ isWord, ticker }) => {
    const word = ticker.toLowerCase()
    return isWord && !/^(?:near|etc|op|one)$/.test(word)
      ? [
        `(?<![a-z])${word}(?= ?(?:,|&|/|and|or|vs)(?![a-z]))|(?<=(?:,|&|/|and|or|vs\\.?) ?)${word}(?= ?(?:$|[?.!,]|for me|to my|and|or))`
      ]
      : []
  }).join("|"),
  "gu"
)

const notCoins = new Set(
  ("RSI MACD EMA SMA ATR ADX VWAP POC OI IV RV GEX OK PNL API USD KRW RUB EUR JPY ETF CPI PPI PCE FOMC FED GDP NFP SEC " +
    "EPS PE PB KOSPI KOSDAQ NYSE NASDAQ SPX NDX VIX DXY BPS UTC GMT KST MSK EST AM PM LONG SHORT BUY SELL ATH ATL TA FA " +
    "AI US USA UK EU KR RU UP DOWN YES NO NOT AND THE ALL DEX CEX DCA EV ROI TP SL HTTP JSON ID FX II III IPO CEO ECB BOJ BOK " +
    "DART PDF FAQ NFT DEFI TVL FUD FOMO HODL WHAT IS OR IN ON TO OF PER VOL MAX PAIN CALL PUT ITM OTM ATM DTE SKEW BB VAR FDV MCAP TGE " +
    "BINANCE OKX BYBIT UPBIT BITHUMB DERIBIT KRAKEN BITGET MEXC KUCOIN CME " +
    "HI LO PDH PDL SFP CVD FVG PCR ADR PT YTD QOQ YOY EMH LFG WTF LOL IMO NFA WEN PMI ISM GM SPY QQQ DJI RUT")
    .split(" ")
)

/** Returns whether a word in capitals, such as SEC, is known not to be a coin. */
export const isNoCoin = (capitals: string): boolean => notCoins.has(capitals)

const capitals = new RegExp(`(?<![A-Za-z0-9$])(\\$?)([A-Z][A-Z0-9]{1,14})(?![A-Za-z0-9])${notForkName}`, "g")

/** Matches words whose price a question asks for, and words that end like coin names. */
const priced =
  /(?:price of|price for|buy|about the coin|coin called|coin named|цена|курс|монет[аеуы])\s+\$?([a-z][a-z0-9]{2,14})(?![a-z0-9])|(?<![a-z])([a-z]{3,12}coin)(?![a-z])/g
const namedAsCoin = /([가-힣]{2,8}코인)|(?<![а-я])([а-я]{3,14}коин)[а-я]{0,3}/g
const kindsOfCoins =
  /^(알트|밈|스테이블|잡|신규|가상|이런|어떤|무슨|전체|모든|다른|비트|라이트|파일|톤|도지|바이낸스|우리|국내|해외|메이저|주요|상장)코인$|^(альт|мем|стейбл|шит|топ|бит|лайт|тон|файл|дог[еи])коин$/
const stopWords = new Set(
  ("the this that its it now today for and with coin coins crypto market stock stocks ether options call put calls " +
    "puts one them some any more memecoin stablecoin altcoin bitcoin dogecoin litecoin filecoin toncoin shitcoin volatility a " +
    "won dip level levels target stop entry signal signals current last latest today todays daily weekly hourly spot fair show " +
    "what whats which perp perps futures mark index close closing open opening high higher low lower average draw plot make")
    .split(" ")
)

/** Returns the coins that a question names, in order, and unknown names of coins. */
export const coinsOf = (
  question: string,
  isStock: (ticker: string) => boolean
): { readonly coins: ReadonlyArray<string>; readonly strange: ReadonlyArray<string> } => {
  const folded = plain(question)
  const named: Array<Named> = []
  for (const { name, ticker } of patterns) {
    for (const { index } of folded.matchAll(name)) named.push({ ticker, at: index })
  }
  if (named.length > 0) {
    for (const { 0: word, index } of folded.matchAll(joinedTickers)) {
      named.push({ ticker: word.toUpperCase(), at: index })
    }
  }
  const shouted = !/[a-zа-я가-힣]/u.test(question) && (question.match(/[A-Z]+/g)?.length ?? 0) > 2
  for (const { 1: dollar, 2: ticker = "", index } of question.matchAll(capitals)) {
    const known = rows.some((row) => row.ticker === ticker)
    if (known || dollar === "$" || (!shouted && !notCoins.has(ticker) && !isStock(ticker))) {
      named.push({ ticker, at: index })
    }
  }
  const strange: Array<string> = []
  if (named.length === 0) {
    for (const { 1: asked, 2: ended, index } of folded.matchAll(priced)) {
      const word = asked ?? ended ?? ""
      if (!stopWords.has(word) && !isCommodity(word) && !isStock(word.toUpperCase())) {
        named.push({ ticker: word.toUpperCase(), at: index })
      }
    }
    for (const { 1: korean, 2: russian } of folded.matchAll(namedAsCoin)) {
      const name = korean ?? russian ?? ""
      if (!kindsOfCoins.test(name)) strange.push(name)
    }
  }
  const coins = [...new Set(named.sort((a, b) => a.at - b.at).map(({ ticker }) => ticker))]
  return { coins, strange }
}
