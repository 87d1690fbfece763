import type { Language } from "@tapeline/core/engine"
import { plain, rule } from "./rule.ts"

/** A stock with the symbol that tools accept. */
export interface Stock {
  readonly symbol: string
  readonly market: "us" | "kr"
  /** The stock's name in questions, and in answers until a tool returns a name. */
  readonly name: string
}

type Row = readonly [symbol: string, name: string, en: string, ko: string, ru: string]
const none = "(?!)"

const us: ReadonlyArray<Row> = [
  ["AAPL", "Apple", "apple", "애플", "эппл|эпл|apple"],
  ["MSFT", "Microsoft", "microsoft", "마이크로소프트|마소", "майкрософт"],
  ["NVDA", "NVIDIA", "nvidia", "엔비디아", "нвиди|энвиди"],
  ["GOOGL", "Alphabet", "google|alphabet", "구글|알파벳", "гугл|алфавит|альфабет"],
  ["AMZN", "Amazon", "amazon", "아마존", "амазон"],
  ["META", "Meta", "meta(?: platforms)?|facebook", "메타(?![가-힣]{2})|페이스북", "фейсбук"],
  ["TSLA", "Tesla", "tesla", "테슬라", "тесл"],
  ["AVGO", "Broadcom", "broadcom", "브로드컴", "бродком"],
  ["JPM", "JPMorgan", "jp ?morgan", "제이피모건|jp모건", "джи ?пи морган"],
  ["COIN", "Coinbase", "coinbase", "코인베이스", "коинбейс|коинбэйз"],
  ["MSTR", "Strategy", "microstrategy", "마이크로스트래티지|스트래티지", "микростратеджи|майкростратеджи"],
  ["HOOD", "Robinhood", "robinhood", "로빈후드", "робинхуд"],
  ["LLY", "Eli Lilly", "eli lilly|lilly", "일라이\\s?릴리", "эли лилли"],
  ["WMT", "Walmart", "walmart", "월마트", "уолмарт|волмарт"],
  ["COST", "Costco", "costco", "코스트코", "костко"],
  ["KO", "Coca-Cola", "coca[- ]cola|coke", "코카콜라", "кока[- ]?кол"],
  ["MCD", "McDonald's", "mcdonald'?s", "맥도날드", "макдоналдс|макдональдс"],
  ["NKE", "Nike", "nike", "나이키", "найк"],
  ["DIS", "Disney", "disney", "디즈니", "дисне"],
  ["NFLX", "Netflix", "netflix", "넷플릭스", "нетфликс"],
  ["XOM", "Exxon", "exxon", "엑슨", "эксон"],
  ["BA", "Boeing", "boeing", "보잉", "боинг"],
  ["ORCL", "Oracle", "oracle", "오라클", "оракл"],
  ["CRM", "Salesforce", "salesforce", "세일즈포스", none],
  ["ADBE", "Adobe", "adobe", "어도비", "адоб"],
  ["PLTR", "Palantir", "palantir", "팔란티어", "палантир"],
  ["AMD", "AMD", "amd", "에이엠디", "амд"],
  ["INTC", "Intel", "intel", "인텔", "интел(?![а-я]{3})|интела|интелу"],
  ["QCOM", "Qualcomm", "qualcomm", "퀄컴", "квалком"],
  ["MU", "Micron", "micron", "마이크론", "микрон"],
  ["UBER", "Uber", "uber", "우버", "убер"],
  ["IBM", "IBM", "ibm", "아이비엠", none],
  ["PFE", "Pfizer", "pfizer", "화이자", "пфайзер"],
  ["GS", "Goldman Sachs", "goldman(?: sachs)?", "골드만", "голдман"],
  ["V", "Visa", "visa", "비자카드", none],
  ["BRK.B", "Berkshire", "berkshire", "버크셔", "беркшир"],
  ["UNH", "UnitedHealth", "unitedhealth", "유나이티드헬스", "юнайтедхелс"],
  ["JNJ", "Johnson & Johnson", "johnson (?:&|and) johnson", "존슨앤드?존슨", "джонсон и джонсон"],
  ["ABBV", "AbbVie", "abbvie", "애브비", none],
  ["MRK", "Merck", "merck", "머크", none],
  ["TMO", "Thermo Fisher", "thermo fisher", "써모\\s?피셔", none],
  ["PG", "Procter & Gamble", "procter", "프록터", none],
  ["PEP", "PepsiCo", "pepsi(?:co)?", "펩시", "пепси"],
  ["HD", "Home Depot", "home depot", "홈디포", none],
  ["BAC", "Bank of America", "bank of america|bofa", "뱅크\\s?오브\\s?아메리카", "банк оф америка"],
  ["WFC", "Wells Fargo", "wells fargo", "웰스\\s?파고", none],
  ["MS", "Morgan Stanley", "(?<!jp )morgan stanley", "모건\\s?스탠리", "морган стэнли"],
  ["MA", "Mastercard", "mastercard", "마스터카드", "мастеркард"],
  ["TMUS", "T-Mobile", "t-mobile", "t모바일", none],
  ["VZ", "Verizon", "verizon", "버라이즌", "верайзон"],
  ["CVX", "Chevron", "chevron", "셰브론", "шеврон"],
  ["COP", "ConocoPhillips", "conoco(?:phillips)?", "코노코", none],
  ["CAT", "Caterpillar", "caterpillar", "캐터필러", "катерпиллер"],
  ["GE", "GE Aerospace", "ge aerospace|general electric", "ge\\s?에어로", none],
  ["HON", "Honeywell", "honeywell", "허니웰", none],
  ["UPS", "UPS", none, "유피에스", none],
  ["LMT", "Lockheed Martin", "lockheed(?: martin)?", "록히드", "локхид"],
  ["CSCO", "Cisco", "cisco", "시스코", "циско"],
  ["TXN", "Texas Instruments", "texas instruments", "텍사스\\s?인스트루먼트", none],
  ["NEE", "NextEra", "nextera", "넥스트에라", none],
  ["RDDT", "Reddit", "reddit(?= (?:stock|shares?|inc))", "레딧(?=\\s?(?:주가|주식))", none]
]

/** Tickers that are English words or other names in lower case. */
const wordLike = new Set("COIN META HOOD COST COP CAT HON NEE UPS DIS NKE PEP ALL ARE".split(" "))

const kr: ReadonlyArray<Row> = [
  ["005930", "Samsung Electronics", "samsung(?: electronics)?", "삼성전자|삼전(?![가-힣])|삼성(?![가-힣])", "самсунг"],
  ["000660", "SK hynix", "(?:sk ?)?hynix", "sk\\s?하이닉스|하이닉스|하닉", "хайникс"],
  ["373220", "LG Energy Solution", "lg energy(?: solution)?", "엘지에너지솔루션|lg\\s?에너지솔루션|엔솔", "lg energy"],
  ["207940", "Samsung Biologics", "samsung biologics", "삼성바이오로직스|삼바(?![가-힣])", none],
  ["005380", "Hyundai Motor", "hyundai(?: motor)?", "현대차|현대자동차", "хендай|хендэ|хундай|хёндэ|хенде"],
  ["000270", "Kia", "kia", "기아(?!\\s?나)", "киа(?![а-я])"],
  ["005490", "POSCO Holdings", "posco", "포스코", "поско"],
  ["035420", "NAVER", "naver", "네이버", "навер"],
  ["035720", "Kakao", "kakao", "카카오", "какао"],
  ["006400", "Samsung SDI", "samsung sdi", "삼성\\s?sdi", none],
  ["051910", "LG Chem", "lg chem", "lg화학|엘지화학", none],
  ["105560", "KB Financial", "kb financial", "kb금융", none],
  ["055550", "Shinhan Financial", "shinhan", "신한", none],
  ["068270", "Celltrion", "celltrion", "셀트리온", "селтрион"],
  ["012450", "Hanwha Aerospace", "hanwha aerospace", "한화에어로", none],
  ["329180", "HD Hyundai Heavy", "hd hyundai heavy", "hd현대중공업|현대중공업", none],
  ["247540", "Ecopro BM", "ecopro bm", "에코프로비엠", none],
  ["086520", "Ecopro", "ecopro(?! bm)", "에코프로(?!비엠)", none],
  ["259960", "Krafton", "krafton", "크래프톤", none],
  ["352820", "HYBE", "hybe", "하이브", none],
  ["066570", "LG Electronics", "lg electronics", "lg전자|엘지전자", none],
  ["015760", "KEPCO", "kepco", "한국전력|한전(?![가-힣])", none],
  ["003490", "Korean Air", "korean air", "대한항공", none],
  ["017670", "SK Telecom", "sk telecom", "sk텔레콤", none],
  ["034020", "Doosan Enerbility", "doosan(?: enerbility)?", "두산에너빌리티", none]
]

const patternsOf = (rows: ReadonlyArray<Row>, market: Stock["market"]) =>
  rows.map(([symbol, name, en, ko, ru]) => ({
    stock: { symbol, market, name },
    pattern: new RegExp(rule(en, ko, ru).source, "u")
  }))

export const stockPatterns = [...us, ...kr].map(([symbol, name, ...texts]) => ({ symbol, name, texts }))

const patterns = [...patternsOf(us, "us"), ...patternsOf(kr, "kr")]
const bySymbol = new Map(patterns.map(({ stock }) => [stock.symbol, stock]))

const koreanNames = new Map(
  [...us, ...kr].map(([symbol, , , ko]) => [
    symbol,
    (ko.split("|")[0] ?? symbol).replace(/\(\?[^)]*\)|\\s\?/g, "").replace(/[a-z]+/g, (latin) => latin.toUpperCase())
  ])
)

/** Stocks whose names contain another stock's name: `Samsung SDI` contains `Samsung`. */
const narrower: Readonly<Record<string, ReadonlyArray<string>>> = {
  "005930": ["006400", "207940"],
  "005380": ["329180"]
}

/** Returns whether a word in capitals is a stock's ticker or name. */
export const isStockTicker = (ticker: string): boolean =>
  bySymbol.has(ticker) || patterns.some(({ stock }) => stock.name.toUpperCase() === ticker)

const tickers = /(?<![A-Za-z0-9])\$?([A-Z]{1,5}(?:\.[A-Z])?)(?![A-Za-z0-9])/g
const lowerTickers = /(?<![a-z0-9])\$?([a-z]{3,5})(?![a-z0-9])/g
const codes = /(?<![0-9.,$])(\d{6})(?![0-9.,])/g
const aboutStocks = rule("stocks?|shares?|ticker|equity", "주식|주가|종목", "акци|бумаг|тикер")

export const stocksOf = (question: string, lang: Language): ReadonlyArray<Stock> => {
  const folded = plain(question)
  const named: Array<{ readonly stock: Stock; readonly at: number }> = []
  for (const { pattern, stock } of patterns) {
    const at = folded.search(pattern)
    if (at >= 0) named.push({ stock, at })
  }
  for (const { 1: lower = "", index } of folded.matchAll(lowerTickers)) {
    const stock = bySymbol.get(lower.toUpperCase())
    if (stock !== undefined && !wordLike.has(stock.symbol)) named.push({ stock, at: index })
  }
  for (const { 1: ticker = "", index } of question.matchAll(tickers)) {
    const stock = bySymbol.get(ticker)
    if (stock !== undefined && (ticker.length > 2 || aboutStocks.test(folded))) named.push({ stock, at: index })
  }
  if (aboutStocks.test(folded)) {
    for (const { 1: symbol = "", index } of question.matchAll(codes)) {
      named.push({ stock: bySymbol.get(symbol) ?? { symbol, market: "kr", name: symbol }, at: index })
    }
  }
  const found = new Map(named.sort((a, b) => a.at - b.at).map(({ stock }) => [stock.symbol, stock]))
  for (const [wide, narrow] of Object.entries(narrower)) {
    if (narrow.some((symbol) => found.has(symbol))) found.delete(wide)
  }
  return [...found.values()].map((stock) =>
    lang === "ko" ? { ...stock, name: koreanNames.get(stock.symbol) ?? stock.name } : stock
  )
}
